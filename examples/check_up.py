"""The check-up of paper 001, section 2: a new patient is registered, examined, tested, and pays in cash or by credit.

python examples/check_up.py
weft guards examples/check_up.py        # the paper's own Table 3.2
weft run examples/check_up.py --input patient_id=7
"""

import weft
from weft import Answers, all_of, choice, loop, person, process, race, task

patients: dict[int, str] = {7: "known since long"}


@task
def register() -> int:
    patient_id = max(patients) + 1
    patients[patient_id] = "new"
    return patient_id


@task
def delete(patient_id: int) -> None:
    del patients[patient_id]


examine = person("examine", role="doctor", gives={"blood_test_type_list": list[int], "roentgen_list": list[int]}).using(
    patient_id=weft.var("patient_id")
)
blood = person("blood", role="laborant", gives=list[str]).using(tests=weft.var("blood_test_type_list"))
roent = person("roent", role="roentgenologist", gives=list[str] | None).using(what=weft.var("roentgen_list"))
check = person("check", role="doctor").using(result1=weft.var("result1"), result2=weft.var("result2"))
cash = person("cash", role="teller")
credit = person("credit", role="teller")

check_up = process("check_up", patient_id=int, variables={"result2": None})(
    choice({"patient_id == 0": register.into("patient_id").compensated_by(delete)})
    >> examine.into("blood_test_type_list", "roentgen_list")
    >> all_of(blood.into("result1"), loop("result2 == None", roent.into("result2")))
    >> check
    >> race(cash, credit)
)


def answers(pictures: list[list[str] | None]) -> Answers:
    """The hospital's people; a roentgen picture that is not clear is None, and is taken again."""

    def roent(what: list[int]) -> list[str] | None:
        return pictures.pop(0)

    return Answers(
        examine={"blood_test_type_list": [1, 4], "roentgen_list": [2]},
        blood=["normal", "normal"],
        roent=roent,
        check=None,
        credit=None,
    )


def main() -> None:
    for patient_id in (0, 7):
        pictures: list[list[str] | None] = [None, None, ["clear"]]
        result = weft.run(check_up, answers(pictures), patient_id=patient_id).expect("done")
        kinds = [(type(fact).__name__, fact.path) for fact in result.facts]
        assert kinds.count(("Committed", "roent")) == 3
        assert (("Committed", "register") in kinds) == (patient_id == 0)
        assert ("Committed", "credit") in kinds
        assert ("Committed", "cash") not in kinds
        assert result.values["patient_id"] in patients
        print(f"patient {patient_id}: {result.outcome}, as number {result.values['patient_id']}, after 3 pictures")


if __name__ == "__main__":
    main()
