"""Rooms of the file bus, as their page uses them."""

from http import HTTPMethod

from groupx.kernel.errors import ErrorCode
from groupx.openapi import examples
from groupx.openapi.endpoint import OF_A_BODY, Answer, Endpoint
from rooms.bus_page.answers import BusMessage, BusPage, BusRoom, BusState, BusWakeAccepted, BusWritten
from rooms.bus_page.requests import BusMessagesQuery, SwitchSelfDrive, WakeMember, WriteToBus

GET, POST = HTTPMethod.GET, HTTPMethod.POST
OF_A_ROOM = (ErrorCode.NOT_FOUND, ErrorCode.BUS_UNAVAILABLE)

BUS_ENDPOINTS = (
    Endpoint(
        method=GET,
        path="/api/bus/{room}",
        part="bus",
        summary="A room of the file bus",
        words="Its newest messages, members and self-drive. `/bus/<room>/stream/?afterSeq=` goes on from there.",
        answers={200: Answer(words="The room.", shape=BusRoom, example=examples.BUS_ROOM)},
        errors=OF_A_ROOM,
    ),
    Endpoint(
        method=GET,
        path="/api/bus/{room}/messages",
        part="bus",
        summary="Older messages",
        query=BusMessagesQuery,
        answers={200: Answer(words="A page of them.", shape=BusPage, example=examples.BUS_PAGE)},
        errors=(ErrorCode.INVALID_ENVELOPE, *OF_A_ROOM),
    ),
    Endpoint(
        method=POST,
        path="/api/bus/{room}/messages",
        part="bus",
        summary="Write as the person",
        words="As `human`. It wakes nobody; the self-drive may. The same clientCommandId again gives the same message.",
        body=WriteToBus,
        body_example=examples.WRITE_TO_BUS,
        answers={201: Answer(words="Written.", shape=BusWritten, example=examples.BUS_WRITTEN)},
        errors=(*OF_A_BODY, ErrorCode.CLIENT_COMMAND_CONFLICT, *OF_A_ROOM),
    ),
    Endpoint(
        method=GET,
        path="/api/bus/{room}/messages/{seq}",
        part="bus",
        summary="One message, whole",
        answers={200: Answer(words="The message.", shape=BusMessage, example=examples.BUS_MESSAGE)},
        errors=OF_A_ROOM,
    ),
    Endpoint(
        method=POST,
        path="/api/bus/{room}/members/{member}/wake",
        part="bus",
        summary="Wake a member",
        words="Its CLI is run once, in a process of its own, on what it has not read. The room shows how it ends.",
        body=WakeMember,
        answers={202: Answer(words="It will be.", shape=BusWakeAccepted, example=examples.BUS_WAKE_ACCEPTED)},
        errors=(*OF_A_BODY, *OF_A_ROOM, ErrorCode.MEMBER_NOT_WAKEABLE, ErrorCode.SESSION_NOT_AVAILABLE),
    ),
    Endpoint(
        method=POST,
        path="/api/bus/{room}/self-drive",
        part="bus",
        summary="Switch the self-drive",
        words="On, each new message of the person wakes whom it is for, once. It stays on over restarts.",
        body=SwitchSelfDrive,
        body_example={"isOn": True},
        answers={200: Answer(words="The room's state.", shape=BusState, example=examples.BUS_STATE)},
        errors=(*OF_A_BODY, *OF_A_ROOM, ErrorCode.SESSION_NOT_AVAILABLE),
    ),
)
