"""A race of two payments: both begin, exactly one counts, and what the other has done is taken back.

python examples/payments_race.py
"""

import asyncio

import weft
from weft import process, race, task

diary: list[str] = []


@task
async def pay_by_card(cents: int) -> str:
    diary.append("card: asked the bank")
    await asyncio.Event().wait()  # the bank is silent
    return f"card {cents}"


@task
async def pay_by_wallet(cents: int) -> str:
    diary.append("wallet: asked the telephone")
    return f"wallet {cents}"


@task
async def pay_by_transfer(cents: int) -> str:
    diary.append("transfer: sent")
    try:
        await asyncio.Event().wait()  # for the answer, which comes when the race is over
    except asyncio.CancelledError:
        diary.append("transfer: told to stop, but the money had left")
    return f"transfer {cents}"


@task
def refund(cents: int) -> None:
    diary.append(f"refund: {cents} came back")


buy = process("buy", cents=int)(
    race(
        pay_by_card.compensated_by(refund.named("refund_card")),
        pay_by_transfer.compensated_by(refund.named("refund_transfer")),
        pay_by_wallet.into("payment").compensated_by(refund.named("refund_wallet")),
    )
)


def main() -> None:
    result = weft.run(buy, cents=900).expect("done")
    assert result.values["payment"] == "wallet 900"
    assert diary.count("refund: 900 came back") == 1  # for the transfer; nothing had been paid by card
    print(*diary, sep="\n")
    print("It counts:", result.values["payment"])


if __name__ == "__main__":
    main()
