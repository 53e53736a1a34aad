"""What a bridge refuses, or does not get done, as exceptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: What to call about a remedy that the bridge names, in the words of this package.
REMEDIES: Mapping[str, str] = {
    "start": "start one, or say where it is: Bridge(url) or ARM_BRIDGE_URL",
    "token": "Bridge(token=...) or ARM_BRIDGE_TOKEN; the bridge says at its start where its tokens are",
    "certificate": "Bridge(verify=ssl.create_default_context(cafile=...)) with the certificate of the bridge",
    "init": "call arm.init()",
    "reset": "call arm.reset() or bridge.reset()",
    "torque_on": "call arm.torque(True) or arm.init()",
    "take_over": "wait, or pass take_over=True",
    "stop_mirroring": "call bridge.stop_mirroring()",
    "stop_recording": "call arm.stop_recording()",
    "list_ports": "bridge.call('POST', '/local/scan-devices') lists the ports",
    "connect": "connect it with bridge.call('POST', '/robot/add-connection', body=...)",
    "calibrate": "calibrate it, or pass uncalibrated=True to move it slowly",
}


class BridgeError(Exception):
    """Anything that a bridge did not do."""

    #: What is wrong, for people; str() adds the next step and the request.
    detail: str
    #: For programs: `owned`, `stopped`, `not_initialised`, `invalid`, `not_done`, `unreachable` and others.
    code: str
    #: The next step, where there is one: a key of REMEDIES.
    remedy: str | None
    #: By which the log of the bridge tells of the request.
    request_id: str | None
    #: Of HTTP; None where nothing was answered.
    status: int | None

    def __init__(
        self,
        detail: str,
        *,
        code: str,
        remedy: str | None = None,
        request_id: str | None = None,
        status: int | None = None,
    ) -> None:
        step = REMEDIES.get(remedy or "")
        asked = "" if request_id is None else f" [request {request_id}]"
        super().__init__(f"{detail}{'' if step is None else f' ({step})'}{asked}")
        self.detail = detail
        self.code = code
        self.remedy = remedy
        self.request_id = request_id
        self.status = status


class Unreachable(BridgeError):
    """No bridge answers."""


class Refused(BridgeError):
    """The bridge has refused a request, and nothing has been done."""


class InvalidRequest(Refused):
    """A request that cannot be read: `errors` names its fields."""

    errors: list[dict[str, Any]]

    def __init__(self, detail: str, errors: list[dict[str, Any]], **named: Any) -> None:
        super().__init__(detail, **named)
        self.errors = errors


class NotDone(BridgeError):
    """A motion that was begun, or looked at, and has not come to its end: `answer` says how far it came."""

    answer: dict[str, Any]

    def __init__(self, answer: dict[str, Any], *, request_id: str | None) -> None:
        super().__init__(str(answer.get("message") or "not done"), code="not_done", request_id=request_id, status=200)
        self.answer = answer


def problem_of(status: int, body: Any, request_id: str | None) -> BridgeError:
    """The exception for an answer that is an error: RFC 9457 where the bridge speaks it, else `{"detail": ...}`."""
    told: dict[str, Any] = body if isinstance(body, dict) else {}
    # The next step is said in the words of this package where it has some, else in those of HTTP, which are in `detail`.
    detail = (told.get("message") if told.get("remedy") in REMEDIES else None) or told.get("detail")
    faults = told.get("errors", detail if isinstance(detail, list) else None)
    named: dict[str, Any] = {
        "code": told.get("code") or ("invalid" if status == 422 else f"http_{status}"),
        "remedy": told.get("remedy") or ("token" if status == 401 else None),
        "request_id": told.get("request_id") or request_id,
        "status": status,
    }
    if isinstance(faults, list):
        places = [f"{'.'.join(str(step) for step in fault['loc'][1:]) or 'body'}: {fault['msg']}" for fault in faults]
        return InvalidRequest("; ".join(places), faults, **named)
    return Refused(detail if isinstance(detail, str) else f"the bridge answered {status}", **named)
