"""What the official conformance suite calls by name, added to a server that ``build_server`` made. For tests alone."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import Any

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import Message, UserMessage
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    CallToolResult,
    ClientCapabilities,
    Completion,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    MissingRequiredClientCapabilityErrorData,
    SamplingCapability,
    SamplingMessage,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)

Ctx = Context[Any, Any]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00"))
    + _chunk(b"IEND", b"")
)
WAV = b"RIFF" + struct.pack("<I", 37) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8) + b"data"
WAV += struct.pack("<I", 1) + b"\x80"


def text(words: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=words)])


def image() -> ImageContent:
    return ImageContent(type="image", data=base64.b64encode(PNG).decode(), mime_type="image/png")


def embedded(uri: str, words: str, kind: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=kind, text=words))


def elicits(message: str, **properties: Any) -> ElicitRequest:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def samples(words: str, tokens: int = 100) -> CreateMessageRequest:
    asked = SamplingMessage(role="user", content=TextContent(type="text", text=words))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[asked], max_tokens=tokens))


def given(ctx: Ctx, key: str, kind: type[Any]) -> Any:
    """The client's response under that key, or None when it is missing or of another kind."""
    found = (ctx.input_responses or {}).get(key)
    return found if isinstance(found, kind) else None


def accepted(ctx: Ctx, key: str, name: str) -> Any:
    found = given(ctx, key, ElicitResult)
    return None if found is None or not found.content else found.content.get(name)


def add_everything(server: MCPServer[Any]) -> MCPServer[Any]:
    """The server with everything the suite asks for."""
    add_content(server)
    add_conversing(server)
    add_input_required(server)
    add_resources(server)
    add_prompts(server)
    add_older_methods(server)
    return server


def add_content(server: MCPServer[Any]) -> None:
    @server.tool(description="Simple text.")
    def test_simple_text() -> CallToolResult:
        return text("This is a simple text response for testing.")

    @server.tool(description="An image.")
    def test_image_content() -> CallToolResult:
        return CallToolResult(content=[image()])

    @server.tool(description="A sound.")
    def test_audio_content() -> CallToolResult:
        data = base64.b64encode(WAV).decode()
        return CallToolResult(content=[AudioContent(type="audio", data=data, mime_type="audio/wav")])

    @server.tool(description="An embedded resource.")
    def test_embedded_resource() -> CallToolResult:
        return CallToolResult(content=[embedded("test://embedded-resource", "This is an embedded resource content.")])

    @server.tool(description="Several kinds of content.")
    def test_multiple_content_types() -> CallToolResult:
        words = TextContent(type="text", text="Multiple content types test:")
        data = json.dumps({"test": "data", "value": 123})
        mixed = embedded("test://mixed-content-resource", data, "application/json")
        return CallToolResult(content=[words, image(), mixed])

    @server.tool(description="Fails.")
    def test_error_handling() -> CallToolResult:
        raise ToolError("This tool intentionally returns an error for testing")


def add_conversing(server: MCPServer[Any]) -> None:
    @server.tool(description="Tells its progress.")
    async def test_tool_with_progress(ctx: Ctx) -> CallToolResult:
        for done in (0, 50, 100):
            await ctx.report_progress(done, 100, f"{done} of 100")
            await anyio.sleep(0.05)
        return text("done")

    @server.tool(description="Logs three times.")
    async def test_tool_with_logging(ctx: Ctx) -> CallToolResult:
        for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await ctx.info(words)
            await anyio.sleep(0.05)
        return text("done")

    @server.tool(description="Logs once.")
    async def test_logging_tool(ctx: Ctx) -> CallToolResult:
        await ctx.info("said")
        return text("done")

    @server.tool(description="Asks the client's model.")
    async def test_sampling(prompt: str, ctx: Ctx) -> CallToolResult:
        asked = samples(prompt).params
        answer = await ctx.session.create_message(messages=asked.messages, max_tokens=asked.max_tokens)
        return text(f"LLM response: {getattr(answer.content, 'text', '')}")

    @server.tool(description="Asks the user.")
    async def test_elicitation(message: str, ctx: Ctx) -> CallToolResult:
        words = {"type": "string", "description": "User's response"}
        mail = {"type": "string", "description": "User's email address"}
        return await elicited(ctx, elicits(message, username=words, email=mail), "User response")

    @server.tool(description="Asks the user, with defaults.")
    async def test_elicitation_sep1034_defaults(ctx: Ctx) -> CallToolResult:
        properties = {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": True},
        }
        return await elicited(ctx, elicits("With defaults", **properties), "Elicitation completed")

    @server.tool(description="Asks the user to choose.")
    async def test_elicitation_sep1330_enums(ctx: Ctx) -> CallToolResult:
        plain = ["option1", "option2", "option3"]
        titled = [{"const": f"value{at}", "title": f"{name} Option"} for at, name in enumerate(("First", "Second"), 1)]
        chosen = [{"const": f"value{at}", "title": f"{name} Choice"} for at, name in enumerate(("First", "Second"), 1)]
        names = ["Option One", "Option Two", "Option Three"]
        properties = {
            "untitledSingle": {"type": "string", "enum": plain},
            "titledSingle": {"type": "string", "oneOf": titled},
            "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": names},
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
            "titledMulti": {"type": "array", "items": {"anyOf": chosen}},
        }
        return await elicited(ctx, elicits("Choose", **properties), "Elicitation completed")

    @server.tool(description="Says that the tools changed.")
    async def test_trigger_tool_change(ctx: Ctx) -> CallToolResult:
        await ctx.notify_tools_changed()
        return text("done")

    @server.tool(description="Says that the prompts changed.")
    async def test_trigger_prompt_change(ctx: Ctx) -> CallToolResult:
        await ctx.notify_prompts_changed()
        return text("done")


async def elicited(ctx: Ctx, asked: ElicitRequest, words: str) -> CallToolResult:
    assert isinstance(asked.params, ElicitRequestFormParams)
    result = await ctx.session.elicit_form(
        asked.params.message, asked.params.requested_schema, related_request_id=ctx.request_id
    )
    return text(f"{words}: action={result.action}, content={json.dumps(result.content)}")


def add_input_required(server: MCPServer[Any]) -> None:
    name = {"type": "string"}

    def need(ctx: Ctx) -> ClientCapabilities:
        return ctx.client_capabilities or ClientCapabilities()

    @server.tool(description="Needs a capability.")
    async def test_missing_capability(ctx: Ctx) -> CallToolResult:
        if need(ctx).sampling is None:
            wanted = ClientCapabilities(sampling=SamplingCapability())
            data = MissingRequiredClientCapabilityErrorData(required_capabilities=wanted)
            raise MCPError(
                code=MISSING_REQUIRED_CLIENT_CAPABILITY,
                message="sampling is needed",
                data=data.model_dump(mode="json", by_alias=True, exclude_none=True),
            )
        return text("done")

    @server.tool(description="Asks for a name.")
    async def test_input_required_result_elicitation(ctx: Ctx) -> CallToolResult | InputRequiredResult:
        said = accepted(ctx, "user_name", "name")
        if said is None:
            return InputRequiredResult(input_requests={"user_name": elicits("What is your name?", name=name)})
        return text(f"Hello, {said}!")

    @server.tool(description="Asks in a stream.")
    async def test_streaming_elicitation(ctx: Ctx) -> CallToolResult | InputRequiredResult:
        return await test_input_required_result_elicitation(ctx)

    @server.tool(description="Asks the model.")
    async def test_input_required_result_sampling(ctx: Ctx) -> CallToolResult | InputRequiredResult:
        answer = given(ctx, "capital_question", CreateMessageResult)
        if answer is None:
            asked = samples("What is the capital of France?")
            return InputRequiredResult(input_requests={"capital_question": asked})
        return text(str(answer.content.text))

    @server.tool(description="Asks for roots.")
    async def test_input_required_result_list_roots(ctx: Ctx) -> CallToolResult | InputRequiredResult:
        roots = given(ctx, "client_roots", ListRootsResult)
        if roots is None:
            return InputRequiredResult(input_requests={"client_roots": ListRootsRequest()})
        return text(", ".join(str(root.uri) for root in roots.roots))

    @server.tool(description="Carries a state.")
    async def test_input_required_result_request_state(ctx: Ctx) -> CallToolResult | InputRequiredResult:
        return confirmed(ctx)

    @server.tool(description="Refuses a state that was changed.")
    async def test_input_required_result_tampered_state(ctx: Ctx) -> CallToolResult | InputRequiredResult:
        return confirmed(ctx)

    @server.tool(description="Asks several things at once.")
    async def test_input_required_result_multiple_inputs(ctx: Ctx) -> CallToolResult | InputRequiredResult:
        said, roots = accepted(ctx, "user_name", "name"), given(ctx, "client_roots", ListRootsResult)
        greeting = given(ctx, "greeting", CreateMessageResult)
        if said is not None and roots is not None and greeting is not None:
            return text(f"{greeting.content.text} {said}, {len(roots.roots)} roots")
        requests = {
            "user_name": elicits("What is your name?", name=name),
            "greeting": samples("Generate a greeting", 50),
            "client_roots": ListRootsRequest(),
        }
        return InputRequiredResult(input_requests=requests, request_state="several")

    @server.tool(description="Asks twice.")
    async def test_input_required_result_multi_round(ctx: Ctx) -> CallToolResult | InputRequiredResult:
        colour, said = accepted(ctx, "step2", "color"), accepted(ctx, "step1", "name")
        if ctx.request_state is not None and ctx.request_state.startswith("two:") and colour is not None:
            return text(f"{ctx.request_state.removeprefix('two:')} likes {colour}")
        if ctx.request_state == "one" and said is not None:
            asked = elicits("Step 2: What is your favorite color?", color=name)
            return InputRequiredResult(input_requests={"step2": asked}, request_state=f"two:{said}")
        asked = elicits("Step 1: What is your name?", name=name)
        return InputRequiredResult(input_requests={"step1": asked}, request_state="one")

    @server.tool(description="Asks only what the client can do.")
    async def test_input_required_result_capabilities(ctx: Ctx) -> CallToolResult | InputRequiredResult:
        able, requests = need(ctx), {}
        if able.elicitation is not None:
            requests["user_name"] = elicits("What is your name?", name=name)
        if able.sampling is not None:
            requests["greeting"] = samples("Generate a greeting")
        return InputRequiredResult(input_requests=requests) if requests else text("nothing to ask")


def confirmed(ctx: Ctx) -> CallToolResult | InputRequiredResult:
    if ctx.request_state == "asked" and accepted(ctx, "confirm", "ok") is not None:
        return text("state-ok")
    asked = elicits("Please confirm", ok={"type": "boolean"})
    return InputRequiredResult(input_requests={"confirm": asked}, request_state="asked")


def add_resources(server: MCPServer[Any]) -> None:
    @server.resource("test://static-text", name="static-text", description="Text.", mime_type="text/plain")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", name="static-binary", description="A picture.", mime_type="image/png")
    def static_binary() -> bytes:
        return PNG

    @server.resource("test://watched-resource", name="watched", description="Watched.", mime_type="text/plain")
    def watched() -> str:
        return "watched"

    @server.resource("test://template/{id}/data", name="template", description="By id.", mime_type="application/json")
    def by_id(id: str) -> str:
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def add_prompts(server: MCPServer[Any]) -> None:
    @server.prompt(description="Simple.")
    def test_simple_prompt() -> str:
        return "This is a simple prompt for testing."

    @server.prompt(description="With arguments.")
    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @server.prompt(description="With a resource.")
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[Message]:  # noqa: N803  # Its name on the wire.
        resource = embedded(resourceUri, "Embedded resource content for testing.")
        return [UserMessage(content=resource), UserMessage("Please process the embedded resource above.")]

    @server.prompt(description="With a picture.")
    def test_prompt_with_image() -> list[Message]:
        return [UserMessage(content=image()), UserMessage("Please analyze the image above.")]

    @server.prompt(description="Asks first.")
    async def test_input_required_result_prompt(ctx: Ctx) -> str | InputRequiredResult:
        said = accepted(ctx, "user_context", "context")
        if said is None:
            asked = elicits("What context should the prompt use?", context={"type": "string"})
            return InputRequiredResult(input_requests={"user_context": asked})
        return f"In the context of {said}."

    @server.completion()
    async def complete(ref: Any, argument: Any, context: Any) -> Completion:
        _ = (ref, context)
        known = [name for name in ("paris", "park", "party") if name.startswith(argument.value)]
        return Completion(values=known, total=len(known), has_more=False)


def add_older_methods(server: MCPServer[Any]) -> None:
    """What only clients of 2025-11-25 call."""
    lowlevel = server._lowlevel_server

    async def done(ctx: Any, params: Any) -> EmptyResult:
        _ = (ctx, params)
        return EmptyResult()

    lowlevel.add_request_handler("logging/setLevel", SetLevelRequestParams, done)
    lowlevel.add_request_handler("resources/subscribe", SubscribeRequestParams, done)
    lowlevel.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, done)
