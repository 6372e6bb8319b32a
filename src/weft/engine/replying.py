"""Answers to callers: those in this process hear after the commit, those in others by a row in the batch itself."""

from typing import Final

import msgspec

from weft.engine.requests import Reply, Token
from weft.engine.turn import Turn
from weft.store.rows import AnswerRow

_encoder = msgspec.json.Encoder()
_decoder: "Final[msgspec.json.Decoder[Reply]]" = msgspec.json.Decoder(Reply)


def reply(turn: Turn, token: Token, value: Reply) -> None:
    if type(token) is int:
        turn.batch.answers[token] = AnswerRow(token, turn.now, _encoder.encode(value))
    elif token is not None:
        turn.replies.append((token, value))


def reply_in(row: AnswerRow) -> Reply:
    return _decoder.decode(row.payload)
