"""Texts of about ten thousand lines in the languages that machines write."""

import json

COUNT = 1_000


def texts() -> dict[str, bytes]:
    found = {"pnml": pnml(), "gworkflowdl": gworkflowdl(), "jdl": jdl(), "wfcommons": wfcommons()}
    return {name: text.encode() for name, text in found.items()}


def pnml() -> str:
    nodes = (
        f'<place id="p{i}">\n<initialMarking>\n<text>1</text>\n</initialMarking>\n</place>\n<transition id="t{i}"/>\n'
        f'<arc id="a{i}" source="p{i}" target="t{i}">\n<inscription>\n<text>1</text>\n</inscription>\n</arc>\n'
        for i in range(COUNT)
    )
    return f'<pnml>\n<net id="n" type="ptnet">\n<page id="page">\n{"".join(nodes)}</page>\n</net>\n</pnml>\n'


def gworkflowdl() -> str:
    nodes = (
        f'<place ID="p{i}">\n<token>\n<data>\n<x>{i}</x>\n</data>\n</token>\n</place>\n<transition ID="t{i}">\n'
        f'<inputPlace placeID="p{i}" edgeExpression="v"/>\n<condition>$v/x &lt; {i}</condition>\n</transition>\n'
        for i in range(COUNT)
    )
    return f'<workflow ID="w">\n{"".join(nodes)}</workflow>\n'


def jdl() -> str:
    nodes = (
        f'n{i} = [\ndescription = [\nExecutable = "/bin/x";\nArguments = "-n {i}";\nInputSandbox = {{\n"in{i}"\n}};\n'
        f'StdOutput = "out";\nOutputSandbox = {{ "out" }};\n];\n];\n'
        for i in range(COUNT)
    )
    pairs = ", ".join(f"{{ n{i}, n{i + 1} }}" for i in range(COUNT - 1))
    return f"nodes = [\n{''.join(nodes)}];\ndependencies = {{ {pairs} }};\n"


def wfcommons() -> str:
    tasks = [{"id": f"t{i}", "parents": [f"t{i - 1}"][: i > 0], "inputFiles": [f"f{i}"], "outputFiles": [f"f{i + 1}"]}
             for i in range(COUNT)]  # fmt: skip
    return json.dumps({"schemaVersion": "1.5", "workflow": {"specification": {"tasks": tasks}}}, indent=1)
