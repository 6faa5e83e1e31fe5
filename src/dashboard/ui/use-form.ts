import { useSignal } from "@preact/signals";

export interface FormState {
  /** The error of the last attempt. */
  readonly problem: string | undefined;
  /** Whether an attempt is running; a second one waits for its end. */
  readonly isBusy: boolean;
  readonly onSubmit: (event: Event) => void;
}

/** Sends a form instead of the browser. An error is shown until the next attempt. */
export function useForm(send: () => Promise<unknown>): FormState {
  const problem = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const submit = async (): Promise<void> => {
    isBusy.value = true;
    problem.value = undefined;
    try {
      await send();
    } catch (error) {
      problem.value = (error as Error).message;
    } finally {
      isBusy.value = false;
    }
  };
  return {
    problem: problem.value,
    isBusy: isBusy.value,
    onSubmit(event) {
      event.preventDefault();
      if (!isBusy.peek()) void submit();
    },
  };
}
