"""A program for an interpreter that has SpiffWorkflow, none of ours: `peer_spiff.py FILE CHAINS STEPS SINGLES`.

SpiffWorkflow keeps nothing by itself: its state is saved to a SQLite file after each step, flushed at every commit. It
runs in one thread, one chain after the other. Prints what it found as JSON.
"""

import io
import json
import sqlite3
import sys
from itertools import pairwise
from statistics import median
from time import perf_counter, process_time

from lxml import etree
from SpiffWorkflow import TaskState
from SpiffWorkflow.bpmn import BpmnWorkflow
from SpiffWorkflow.bpmn.parser import BpmnParser
from SpiffWorkflow.bpmn.serializer import BpmnWorkflowSerializer

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"


def flow(number: int, source: str, target: str) -> str:
    return f'<sequenceFlow id="f{number}" sourceRef="{source}" targetRef="{target}"/>'


def spec(steps: int):
    """A chain of script tasks that do nothing."""
    names = ["start", *(f"step{number}" for number in range(steps)), "end"]
    tasks = "".join(f'<scriptTask id="{name}"><script>pass</script></scriptTask>' for name in names[1:-1])
    flows = "".join(flow(number, *pair) for number, pair in enumerate(pairwise(names)))
    body = f'<startEvent id="start"/>{tasks}<endEvent id="end"/>{flows}'
    text = f'<definitions xmlns="{BPMN}"><process id="chain" isExecutable="true">{body}</process></definitions>'
    parser = BpmnParser()
    parser.add_bpmn_xml(etree.parse(io.BytesIO(text.encode())))
    return parser.get_spec("chain")


class Saved:
    """Workflows whose state is saved whenever a step has ended."""

    def __init__(self, path: str) -> None:
        self.database = sqlite3.connect(path, isolation_level=None)
        self.database.execute("pragma journal_mode=wal")
        self.database.execute("pragma synchronous=full")
        self.database.execute("create table state (id integer primary key, content text)")
        self.serializer = BpmnWorkflowSerializer()
        self.ids = 0

    def save(self, workflow: BpmnWorkflow) -> None:
        content = self.serializer.serialize_json(workflow)
        self.database.execute("insert or replace into state values (?, ?)", (self.ids, content))

    def run(self, chain) -> float:
        begin = perf_counter()
        workflow = BpmnWorkflow(chain)
        self.ids += 1
        while task := workflow.get_next_task(state=TaskState.READY):
            task.run()
            if task.task_spec.bpmn_id and task.task_spec.bpmn_id.startswith("step"):
                self.save(workflow)
        self.save(workflow)
        assert workflow.is_completed()
        return perf_counter() - begin


def main() -> None:
    path, chains, steps, singles = sys.argv[1], *map(int, sys.argv[2:])
    saved, chain, one = Saved(path), spec(steps), spec(1)
    saved.run(chain)
    wall, cpu = perf_counter(), process_time()
    for _ in range(chains):
        saved.run(chain)
    done = chains * steps
    rate, each = done / (perf_counter() - wall), (process_time() - cpu) / done
    p50 = median(saved.run(one) for _ in range(singles))
    print(json.dumps({"rate": rate, "cpu": each * 1e6, "p50": p50 * 1e3}))


if __name__ == "__main__":
    main()
