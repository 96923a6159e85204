"""One image from a server that speaks OpenAI's Images API, asked for and checked.

A request is sent once here; `gen.saber.images.threads` sends it again.
"""

from __future__ import annotations

import base64
import io
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from gen.base.chat.faults import FaultError, Remedy, fault_of
from gen.saber.config import ImageConfig

if TYPE_CHECKING:
    import numpy as np
    import openai
    from numpy.typing import NDArray

FLAT = 8
"""Steps of each channel, of 256, within which an image counts as blank."""
MISSING = "--images openai needs openai, numpy and Pillow; pip install 'saber-toolkit[images]'"


@dataclass
class Call:
    """One request, as the log has it."""

    id: str
    """The `_id` of the row whose image it is for."""
    attempt: int
    """Images made before in its place and sent back."""
    time: str
    """When it was sent, in ISO 8601."""
    status: int | None = None
    """HTTP status, where there was a response."""
    reason: str = ""
    """Why it gave no image."""
    seconds: float = 0.0
    request_id: str = ""
    """The server's name for it."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    bytes: int = 0
    """Of the image, as it came."""

    @property
    def paid(self) -> bool:
        """Whether it was answered, with an image that does or not."""
        return self.status == 200


class ImagesApi:
    """A server of images. May be used from several threads."""

    def __init__(self, config: ImageConfig) -> None:
        """Nothing is sent yet.

        Raises:
            ValueError: the libraries are not installed, or there is no key for OpenAI's own API.
        """
        try:
            import numpy
            import openai
            import PIL
        except ImportError:
            raise ValueError(MISSING) from None
        del numpy, PIL
        self._key = os.environ.get(config.key_variable, "").strip()
        if not self._key and not config.base_url:
            name = config.key_variable  # which may be a key by mistake: it is never shown
            shown = name if name.isidentifier() else "the one that --key-variable names"
            raise ValueError(f"no key in the environment variable {shown}, and no --base-url")
        self.model, self.quality = config.model, config.quality
        self._size = config.size
        self._client = openai.OpenAI(
            api_key=self._key or "none",
            base_url=config.base_url,
            max_retries=0,
            timeout=config.timeout,
        )
        self._images = self._client.images.with_raw_response  # loads its modules: not to be timed
        # The words are harmless: a filter that errs on the safe side would only cost images.
        own = {"output_format": "png", "background": "opaque", "moderation": "low"}
        self._more = own if "gpt-image" in self.model else {"response_format": "b64_json"}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()

    def ask(self, prompt: str, call: Call) -> NDArray[np.uint8]:
        """The (H, W, 3) pixels of an image for a prompt; `call` is filled in.

        Raises:
            FaultError: there is none.
        """
        import openai

        started = time.monotonic()
        try:
            return self._ask(prompt, call)
        except openai.APIError as error:
            fault = _fault(error)
            call.status = getattr(error, "status_code", None)
            call.request_id = getattr(error, "request_id", None) or ""
        except FaultError as own:
            fault = own
        finally:
            call.seconds = round(time.monotonic() - started, 3)
        call.reason = fault.reason
        fault.hide(self._key)
        raise fault

    def _ask(self, prompt: str, call: Call) -> NDArray[np.uint8]:
        response = self._images.generate(
            prompt=prompt,
            model=self.model,
            n=1,
            size=f"{self._size}x{self._size}",
            extra_body={"quality": self.quality, **self._more},
            extra_headers={"X-Client-Request-Id": f"{call.id}.{call.attempt}"},
        )
        call.status = response.status_code
        call.request_id = response.headers.get("x-request-id", "")
        try:
            found = response.parse()
            if usage := found.usage:
                call.prompt_tokens = int(usage.input_tokens or 0)
                call.completion_tokens = int(usage.output_tokens or 0)
            if not (text := (found.data or [])[0].b64_json):
                raise ValueError("no image")
            data = base64.b64decode(text, validate=True)
        except (AttributeError, LookupError, TypeError, ValueError):
            raise FaultError(
                "image_missing", "a response without an image in base64", Remedy.REDRAW
            ) from None
        call.bytes = len(data)
        return picture(data, self._size)


def _fault(error: openai.APIError) -> FaultError:
    """What an error of the client means."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return FaultError("request_timeout", "no answer in time", Remedy.RETRY)
    if isinstance(error, openai.APIStatusError):
        response = error.response
        return fault_of(response.status_code, response.content, response.headers)
    said = str(error.__cause__ or "").strip() or error.message
    return FaultError("request_dropped", " ".join(said.split()), Remedy.RETRY)


def picture(data: bytes, size: int) -> NDArray[np.uint8]:
    """The (size, size, 3) pixels of an image file.

    Raises:
        FaultError: it can't be read, has another size, or shows nothing.
    """
    import numpy as np
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as image:
            found = image.size
            if found == (size, size):
                pixels = np.asarray(image.convert("RGB"))
    except (OSError, SyntaxError, ValueError):
        raise FaultError("image_broken", "an image that can't be read", Remedy.REDRAW) from None
    if found != (size, size):
        width, height = found
        raise FaultError("image_size", f"an image of {width} x {height}", Remedy.REDRAW)
    if (np.ptp(pixels, axis=(0, 1)) < FLAT).all():
        raise FaultError("image_blank", "an image of one color", Remedy.REDRAW)
    return pixels
