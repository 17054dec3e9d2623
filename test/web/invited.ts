import { afterAll } from 'vitest';
import { connect } from '../../src/db/connect.ts';
import { createLink } from '../../src/members/links.ts';
import { createWorld } from '../world.ts';

/** A service with people who are invited and have not entered. */
export async function createDoors(settings: Parameters<typeof createWorld>[0] = {}) {
  const world = await createWorld(settings);
  const db = connect({ url: world.databaseUrl, connections: 2, onIdleError() {} });
  afterAll(() => db.close());
  return {
    world,
    db,
    // Passkeys need a name: browsers make none for an address.
    origin: world.origin.replace('127.0.0.1', 'localhost'),
    invited: async () => {
      const workspace = await world.workspace();
      const person = await workspace.addMember();
      const { path } = await createLink(db, {
        kind: 'invitation',
        user_id: person.id,
        workspace: workspace.id,
      });
      return { workspace, person, path };
    },
  };
}

export const PASSWORD = 'riktig hest batteri';
