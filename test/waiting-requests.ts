/** How many requests of a service wait for their turn, as its metrics say. */
export async function waitingIn({ origin }: { origin: string }): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^http_requests_waiting (\d+)/m.exec(metrics)![1]);
}
