// Puts still WebP pictures of one size together to a moving one (RFC 9649, 2.7).

/** @param frames {{ picture: Buffer, ms: number }[]} */
export function animatedWebp(frames, width, height) {
  const size = Buffer.concat([uint24(width - 1), uint24(height - 1)]);
  const ANIMATION = 0b10;
  // In the place of the one before, without blending.
  const OPAQUE = 0b10;
  const header = chunk("VP8X", Buffer.concat([Buffer.from([ANIMATION, 0, 0, 0]), size]));
  // A white background, and no end.
  const loop = chunk("ANIM", Buffer.from([255, 255, 255, 255, 0, 0]));
  const parts = frames.map(({ picture, ms }) =>
    chunk("ANMF", Buffer.concat([uint24(0), uint24(0), size, uint24(ms), Buffer.from([OPAQUE]), bitstream(picture)])),
  );
  const body = Buffer.concat([Buffer.from("WEBP"), header, loop, ...parts]);
  return Buffer.concat([Buffer.from("RIFF"), uint32(body.length), body]);
}

/** The chunk with the pixels of a still picture. */
function bitstream(picture) {
  for (let at = 12; at < picture.length;) {
    const length = picture.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (/^VP8[ L]$/.test(picture.toString("latin1", at, at + 4))) return picture.subarray(at, end);
    at = end;
  }
  throw new Error("this is no WebP picture");
}

function chunk(name, data) {
  return Buffer.concat([Buffer.from(name), uint32(data.length), data, Buffer.alloc(data.length % 2)]);
}

function uint24(value) {
  return Buffer.from([value & 255, (value >> 8) & 255, value >> 16]);
}

function uint32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
