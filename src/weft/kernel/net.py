"""stub"""
from weft.kernel.commands import Begin
from weft.kernel.decision import Decision
from weft.kernel.effect_types import AnyEffect
from weft.kernel.state import Frame

def begin_offer(d: Decision, command: Begin) -> bool:
    return False
def look(d: Decision, frame: Frame, node: int) -> None:
    pass
def wants_more(frame: Frame, node: int) -> bool:
    return False
def standing(frame: Frame, node: int, found: list[AnyEffect]) -> None:
    pass
