import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { changes, dashboardKey, rememberAddress, signedOutReason } from "../api/client.ts";
import { streamStatus } from "../api/stream.ts";
import { followChanges, refreshState, service } from "../api/service.ts";
import { currentAddress, go, location } from "../router.ts";
import { Icon, Notices } from "../ui/button.tsx";
import { PageHeading, Panel, Problem } from "../ui/parts.tsx";
import { ClockBanner, Navigation, WaitingScenarios } from "./navigation.tsx";
import { OpenedDialog } from "../ui/dialog.tsx";
import { VIEWS } from "./views.ts";
import { CopyableCode } from "../ui/values.tsx";

/** The whole dashboard: the navigation, and the view that the address names. */
export function App() {
  const { path } = location.value;
  const place = path.join("/");
  useEffect(followChanges, []);
  useEffect(keepFocus, []);
  // Its value now: when the effect runs, it may be another.
  const status = streamStatus.value;
  useEffect(() => {
    if (status === "live") void refreshState();
  }, [status, dashboardKey.value, changes.value]);
  if (dashboardKey.value === undefined)
    return (
      <>
        <Gate />
        <Notices />
      </>
    );
  const isLost = streamStatus.value === "reconnecting";
  const trouble = isLost
    ? "The server cannot be reached. What you see may be old; the dashboard reconnects by itself."
    : streamStatus.value === "live" && service.value.problem;
  const view = VIEWS.find((one) => one.path === (path[0] ?? "overview"));
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          focusMain();
        }}
      >
        Skip to the content
      </a>
      <div class="shell">
        <Navigation current={view?.path} />
        <div>
          {trouble && (
            <div class="banner" role="status" data-testid={isLost ? "reconnecting" : "service-problem"}>
              <Icon name="warning" />
              {trouble}
            </div>
          )}
          <ClockBanner />
          <WaitingScenarios />
          <header class="topbar">
            <Find />
          </header>
          <main id="main" tabIndex={-1} data-address={currentAddress.value}>
            <ViewBoundary key={place}>
              {view?.record && path[1] !== undefined ? (
                <view.record id={path[1]} key={path[1]} />
              ) : view ? (
                <view.list />
              ) : (
                <>
                  <PageHeading title="Page not found" note="The dashboard has no view at this address." />
                  <a href="#/overview">Go to the overview</a>
                </>
              )}
              <OpenedDialog />
            </ViewBoundary>
          </main>
        </div>
      </div>
      <Notices />
    </>
  );
}

/** Finds sign-ins, the failed ones included, users and sessions from every view: by name, address or id. */
function Find() {
  const find = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const user = (new FormData(form).get("user") as string).trim();
    if (user === "") return;
    if (/^[0-9a-f]{16}$/.test(user)) go(["flows", user]);
    else if (user.startsWith("svc_session_")) go(["sessions"], { query: `session_id:${user}` });
    else go(["flows"], { user });
    form.reset();
  };
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
      if (event.key !== "/" || isTyping) return;
      event.preventDefault();
      document.querySelector<HTMLElement>("[data-testid=find-person]")?.focus();
    };
    document.addEventListener("keydown", focus);
    return () => document.removeEventListener("keydown", focus);
  }, []);
  return (
    <form role="search" onSubmit={find}>
      <input
        type="search"
        name="user"
        data-testid="find-person"
        aria-label="Find users, sign-ins and sessions"
        placeholder="Find by name, e-mail or id  ( / )"
      />
    </form>
  );
}

/** When the row or the button that has the focus is gone, as after a deletion, the content has it: not the page's start. */
function keepFocus(): () => void {
  let last: EventTarget | null = null;
  const onFocus = ({ target }: FocusEvent): void => void (last = target);
  const observer = new MutationObserver(() => {
    if (document.activeElement === document.body && last instanceof Element && !last.isConnected) focusMain();
  });
  document.addEventListener("focusin", onFocus);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener("focusin", onFocus);
    observer.disconnect();
  };
}

function focusMain(): void {
  document.querySelector<HTMLElement>("#main")?.focus({ preventScroll: true });
}

/** For a browser without a key: how to sign in. */
function Gate() {
  useEffect(rememberAddress, []);
  return (
    <main class="gate">
      <Panel testId="gate">
        <div class="stack">
          <div class="row">
            <span class="brand-mark" aria-hidden="true">
              s
            </span>
            <h1>This browser is not signed in</h1>
          </div>
          {signedOutReason.value && (
            <p class="bad-text" role="alert" data-testid="link-problem">
              {signedOutReason.value}
            </p>
          )}
          <p class="muted">
            The dashboard can read and change everything on this server, so a browser gets in by a one-time link. In the
            directory of the running server, type:
          </p>
          <CopyableCode text="npx svc-identity open dashboard" label="Command" />
        </div>
      </Panel>
    </main>
  );
}

/** Keeps an error in one view from breaking the rest of the page. */
function ViewBoundary({ children }: { children: ComponentChildren }) {
  const [error, retry] = useErrorBoundary();
  if (!error) return <>{children}</>;
  return (
    <div class="stack">
      <Problem error={new Error(`This view failed: ${(error as Error).message}`)} onRetry={retry} />
      <a href="#/overview">Go to the overview</a>
    </div>
  );
}
