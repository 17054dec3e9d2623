import { databaseUrl } from './database.ts';
import { startProxy, type Proxy } from './proxy.ts';
import { startCommand, type Finished } from './service.ts';

/** A line to a database on which a command can be stopped at a statement. */
export async function lineTo(url: string): Promise<Proxy & { url: string }> {
  const { hostname, port } = new URL(url);
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  const through = new URL(url);
  through.port = String(proxy.port);
  return { ...proxy, url: databaseUrl(through.href, through.pathname.slice(1)) };
}

/** Runs a command until it has sent this text, and stops it there. */
export async function stopAfter(
  text: string,
  url: string,
  args: readonly string[],
  signal: NodeJS.Signals,
): Promise<Finished> {
  const line = await lineTo(url);
  const reached = line.holdAfter(text);
  const stop = startCommand(args, { DATABASE_URL: line.url });
  await reached;
  const finished = await stop(signal);
  await line.stop();
  return finished;
}
