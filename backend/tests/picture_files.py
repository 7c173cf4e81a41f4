"""Picture files with something to hide, in their pixels and beside them."""

import struct
import zlib
from collections.abc import Sequence
from io import BytesIO

from PIL import Image, ImageCms, ImageDraw, PngImagePlugin, TiffImagePlugin

SIZE = (160, 96)
HIDDEN = (45, 29, 83, 61)
"""Where `drawn` shows its secret."""


def drawn(seed: int = 0, mode: str = "RGB", size: tuple[int, int] = SIZE, background: int = 5) -> Image.Image:
    """A picture; only its pixels in `HIDDEN` depend on the seed."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for at in range(0, size[0], 7):
        draw.line((at, 0, size[0] - at, size[1]), fill=(at % 256, (at * background) % 256, 90), width=2)
    left, top, right, bottom = HIDDEN
    for x in range(left, right):
        for y in range(top, bottom):
            value = zlib.crc32(struct.pack(">3l", seed, x // 3, y // 3))
            image.putpixel((x, y), (value & 255, value >> 8 & 255, value >> 16 & 255))
    return image.convert(mode, dither=Image.Dither.NONE)


def png(image: Image.Image, texts: Sequence[tuple[str, str]] = (), secret: str = "") -> bytes:
    """With chunks of text, and with the secret in every other place that a PNG has for it."""
    info = PngImagePlugin.PngInfo()
    for keyword, text in texts:
        info.add_text(keyword, text)
    extra: dict[str, object] = {}
    if secret:
        info.add_text("Comment", f"{secret} in a packed text", zip=True)
        info.add_itxt("XML:com.adobe.xmp", f"<x:xmpmeta>{secret} in XMP</x:xmpmeta>", zip=True)
        info.add(b"prVt", f"{secret} in a chunk of its own".encode())
        extra = {"exif": _exif(secret), "icc_profile": _profile(secret)}
    out = BytesIO()
    image.save(out, "PNG", pnginfo=info, **extra)
    return out.getvalue() + (f"{secret} after the end".encode() if secret else b"")


def claiming(width: int, height: int) -> bytes:
    """A PNG of a few pixels that claims to be as large as this."""
    made = bytearray(png(Image.new("1", (8, 8))))
    made[16:24] = struct.pack(">2L", width, height)
    made[29:33] = struct.pack(">L", zlib.crc32(made[12:29]))
    return bytes(made)


def jpeg(image: Image.Image, secret: str = "", orientation: int = 1, **options: object) -> bytes:
    """With the secret in every place that a JPEG has for it beside pixels."""
    exif = _exif(secret) if secret else Image.Exif()
    exif[0x0112] = orientation
    if secret:
        options |= {
            "comment": f"{secret} in a comment",
            "icc_profile": _profile(secret),
            "xmp": f"<x:xmpmeta>{secret} in XMP</x:xmpmeta>".encode(),
        }
    out = BytesIO()
    image.save(out, "JPEG", exif=exif, **options)
    return out.getvalue() + (f"{secret} after the end".encode() if secret else b"")


def tiff(images: Sequence[Image.Image], secret: str = "", **options: object) -> bytes:
    """A page for each image, with the secret in tags of each, if there is one."""
    out = BytesIO()
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    if secret:
        for tag, where in ((270, "description"), (315, "artist"), (33432, "copyright"), (65000, "a private tag")):
            tags[tag] = f"{secret} in {where}"
            tags.tagtype[tag] = 2
        tags[700] = f"<x:xmpmeta>{secret} in XMP</x:xmpmeta>".encode()
        tags.tagtype[700] = 1
        options["icc_profile"] = _profile(secret)
    # An image keeps the settings for the encoder of another format.
    images = [image.copy() for image in images]
    images[0].save(out, "TIFF", save_all=True, append_images=list(images[1:]), tiffinfo=tags, **options)
    return out.getvalue() + (f"{secret} after the end".encode() if secret else b"")


def _exif(secret: str) -> Image.Exif:
    exif = Image.Exif()
    exif[0x010E] = f"{secret} in the description"
    exif[0x9C9B] = f"{secret} in the title\0".encode("utf-16-le")
    exif.get_ifd(0x8769)[0x9286] = b"ASCII\0\0\0" + f"{secret} in a remark".encode()
    exif.get_ifd(0x8825)[29] = "2026:11:28"
    return exif


def _profile(secret: str) -> bytes:
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    return bytes(profile) + f"{secret} in a profile".encode()


def by_matplotlib(secret: str) -> bytes:
    """A chart with its title in the pixels and beside them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3, 2), dpi=60)
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.plot([1, 4, 2, 5])
    axes.set_title(secret, fontsize=9)
    out = BytesIO()
    figure.savefig(out, format="png", metadata={"Title": f"Berths by {secret}", "Author": "Harbour office"})
    return out.getvalue()
