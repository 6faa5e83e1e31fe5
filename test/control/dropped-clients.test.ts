import { expect, it, vi } from "vitest";
import { createTestService } from "../../src/testing/index.ts";
import { heap } from "../_heap.ts";

it("A test service forgets the clients of a test that is over", async () => {
  await using service = await createTestService();
  const svc = service.scoped("one test");
  const clients = Array.from({ length: 500 }, () => new WeakRef(svc.client()));
  await svc.close();
  await vi.waitFor(() => {
    heap();
    expect(clients.filter((client) => client.deref()).length).toBeLessThan(50);
  });
});

it("A test service that is closed has closed the clients that are in use", async () => {
  const svc = await createTestService();
  const client = svc.client();
  await svc.close();
  await expect(client.users.get("00000000-0000-4000-8000-000000000000")).rejects.toMatchObject({ code: "closed" });
});
