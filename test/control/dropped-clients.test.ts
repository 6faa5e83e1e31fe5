import { expect, it, vi } from "vitest";
import { createTestService } from "../../src/testing/index.ts";
import { heap } from "../_heap.ts";

it("A test service forgets the clients that tests have dropped", async () => {
  await using svc = await createTestService();
  const clients = Array.from({ length: 500 }, () => new WeakRef(svc.client()));
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
