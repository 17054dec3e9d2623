import type { Visit, Screen } from '../browser.ts';
import type { Workspace, World } from '../world.ts';

type Visiting = (origin: string, options?: { screen?: Screen }) => Promise<Visit>;

/** A browser in which a member of a workspace is signed in, and reads Bokmål unless English is asked for. */
export async function enter(
  { world, visit }: { world: World; visit: Visiting },
  workspace: Workspace,
  {
    person = workspace.owner,
    screen = 'wide',
    language = 'nb',
  }: { person?: Workspace['owner']; screen?: Screen; language?: 'nb' | 'en' } = {},
): Promise<Visit> {
  await world.query('update users set language = $1 where id = $2', [language, person.id]);
  const visited = await visit(world.origin, { screen });
  const token = await workspace.sessionOf(person);
  await visited.page.context().addCookies([{ name: 'kundebok_session', value: token, url: world.origin }]);
  return visited;
}
