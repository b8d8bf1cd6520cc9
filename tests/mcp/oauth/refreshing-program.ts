/** Connects, then calls a tool for each line that it reads and says what came of it. Arguments: home, URL. */
import {createInterface} from 'node:readline';
import {oauthWorld, remoteServer} from './oauth-world.ts';

const [home = '', url = ''] = process.argv.slice(2);
await using world = await oauthWorld({home});
const connection = await world.connect(remoteServer(url));
process.stdout.write(`${connection.failure?.message ?? 'connected'}\n`);
for await (const _ of createInterface({input: process.stdin})) {
	process.stdout.write(`${await connection.whoami?.()}\n`);
}
