"""A program for an interpreter that has pm4py, which is none of ours: judges a workflow net from standard input.

Reads `{"places", "transitions": [[name, takes, puts]], "source", "sink"}`, prints `{"sound", "seconds"}`.
"""

import contextlib
import io
import json
import sys
from time import process_time

from pm4py.algo.analysis.woflan import algorithm as woflan
from pm4py.objects.petri_net.obj import Marking, PetriNet
from pm4py.objects.petri_net.utils import petri_utils


def main() -> None:
    given = json.load(sys.stdin)
    net = PetriNet("net")
    places = [PetriNet.Place(name) for name in given["places"]]
    net.places.update(places)
    for name, takes, puts in given["transitions"]:
        transition = PetriNet.Transition(name, name)
        net.transitions.add(transition)
        for place in takes:
            petri_utils.add_arc_from_to(places[place], transition, net)
        for place in puts:
            petri_utils.add_arc_from_to(transition, places[place], net)
    first, last = Marking({places[given["source"]]: 1}), Marking({places[given["sink"]]: 1})
    began = process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        sound = woflan.apply(net, first, last, parameters={"print_diagnostics": False})
    seconds = process_time() - began
    print(json.dumps({"sound": bool(sound[0] if isinstance(sound, tuple) else sound), "seconds": seconds}))


if __name__ == "__main__":
    main()
