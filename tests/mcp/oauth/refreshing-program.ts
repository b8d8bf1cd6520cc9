/** Connects, then calls a tool for each line that it reads, as often at once as the line says, and says what came of it. Arguments: home, URL. */
import {createInterface} from 'node:readline';
import {oauthWorld, remoteServer} from './oauth-world.ts';

const [home = '', url = ''] = process.argv.slice(2);
await using world = await oauthWorld({home});
const connection = await world.connect(remoteServer(url));
process.stdout.write(`${connection.failure?.message ?? 'connected'}\n`);
for await (const line of createInterface({input: process.stdin})) {
	const answers = await Promise.all(
		Array.from({length: Number(line)}, async () =>
			connection.whoami?.().catch((error: unknown) => `(${String(error)})`),
		),
	);
	process.stdout.write(`${answers.join(' ').replaceAll('\n', ' ')}\n`);
}
