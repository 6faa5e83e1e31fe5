/** One action after another, whatever becomes of those before. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(action, action);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
