/**
 * The same text in memory of its own. Of a part of a text V8 keeps the whole: of one parameter the whole address, which
 * a client can make 30 kB long.
 */
export function ownText(text: string): string {
  return Buffer.from(text).toString();
}

/** Sets an entry of a map that forgets its oldest ones. */
export function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, limit: number): void {
  map.set(key, value);
  if (map.size > limit) map.delete(map.keys().next().value!);
}
