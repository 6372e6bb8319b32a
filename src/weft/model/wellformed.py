"""Judges whether a definition is well formed, and says everything that is wrong with it at once. Runs nothing.

`check` gives all faults, `well_formed` the process itself or `Invalid`. A fault names the activity and what to change:

>>> print(check(Process(name="buy", body=Call(name="buy", process="")))[0])
error call at buy: 'buy' says no process to call; name a process
"""

from weft.model.definition import Flow, Net, Process
from weft.model.faults import Fault, Invalid
from weft.model.limits import Limits
from weft.model.types import class_faults
from weft.model.wellformed_cycles import check_cycles
from weft.model.wellformed_data import Data
from weft.model.wellformed_guards import Guards
from weft.model.wellformed_nets import Nets
from weft.model.wellformed_reach import Hearing
from weft.model.wellformed_rules import Rules
from weft.model.wellformed_scope import Scopes
from weft.model.wellformed_suspicions import check_losers, check_resources
from weft.model.wellformed_tree import Report, Tree

DEFAULT_LIMITS = Limits()


def check(process: Process, limits: Limits = DEFAULT_LIMITS) -> list[Fault]:
    """All faults, errors and warnings, in the order of the activities."""
    report = Report()
    tree = Tree(process, limits, report)
    scopes = Scopes(process, limits, report)
    hearing = Hearing(tree, process, report)
    data = Data(hearing, scopes, report)
    guards, rules = Guards(hearing, scopes, report, limits.nesting), Rules(hearing, scopes, data, report)
    root = tree.nodes[0]
    for name, why in class_faults(process.classes):
        report.add(root, "bad-class", f"the class {name!r}: {why}", "correct it under `classes`")
    for error in process.errors:
        hearing.error(root, error, f"`errors` declares {error!r}")
    for name in process.searchable:
        if name not in scopes.searchable(root):
            advice = report.meant(name, scopes.searchable(root), "declare it, or take it out")
            report.add(root, "unknown-variable", f"`searchable` names {name!r}, which the root does not have", advice)
    for node in tree.nodes:
        rules.check(node)
        guards.check(node)
        data.check(node)
        if isinstance(node.activity, Net):
            Nets(hearing, scopes, data, report).check(node, node.activity)
    for node in tree.nodes:
        if node.looks_back and isinstance(node.activity, Flow):
            check_cycles(node, node.activity, limits.nesting, report)
    check_losers(tree.nodes, report)
    check_resources(tree.nodes, report)
    return report.faults


def well_formed(process: Process, limits: Limits = DEFAULT_LIMITS) -> Process:
    """The process itself, if nothing is wrong with it; else raises `Invalid` with all faults."""
    faults = check(process, limits)
    if any(fault.severity == "error" for fault in faults):
        raise Invalid(f"the process {process.name!r}", faults)
    return process
