import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {oauthWorld, remoteServer} from '../mcp/oauth/oauth-world.ts';
import {startAuthorizationServer} from '../mcp/servers/authorization-server.ts';

const program = fileURLToPath(new URL('../mcp/oauth/refreshing-program.ts', import.meta.url));

export type LoginSoak = {
	readonly rotations: number;
	/** Requests to refresh that reached the authorization server; as many as rotations when none was made twice. */
	readonly refreshes: number;
	readonly calls: number;
	/** Answers that were not the right one, the first few. */
	readonly wrong: readonly string[];
	/** Whether the login is still there at the end. */
	readonly loggedIn: boolean;
};

/**
 * Processes that share one login, whose token is refused for all of them at one moment, again and again, while each makes several calls at once. The authorization
 * server gives out each refresh token for one use, and ends the whole login when one comes twice.
 */
export async function rotateLogins({
	processes,
	calls,
	rotations,
}: {
	readonly processes: number;
	/** At once, by each process. */
	readonly calls: number;
	readonly rotations: number;
}): Promise<LoginSoak> {
	await using site = await startAuthorizationServer();
	await using world = await oauthWorld();
	const server = remoteServer(site.url);
	await world.login(server);
	await using stack = new AsyncDisposableStack();
	const peers = Array.from({length: processes}, () => stack.use(start(world.home, site.url)));
	const wrong: string[] = [];
	const expect = (answer: string, right: string) => {
		if (answer !== right && wrong.length < 20) {
			wrong.push(answer);
		}
	};

	for (const peer of peers) {
		// oxlint-disable-next-line no-await-in-loop -- a start at a time is enough for the machine
		expect(await peer.next(), 'connected');
	}

	const right = Array.from({length: calls}, () => 'alice').join(' ');
	for (let rotation = 0; rotation < rotations; rotation++) {
		// oxlint-disable-next-line no-await-in-loop -- one rotation after the other
		const {access_token: token = ''} = await world.file();
		site.refuse(token);
		for (const peer of peers) {
			peer.call(calls);
		}

		// oxlint-disable-next-line no-await-in-loop -- see above
		for (const answer of await Promise.all(peers.map(async peer => peer.next()))) {
			expect(answer, right);
		}

		site.forgetRequests();
	}

	return {
		rotations,
		refreshes: site.refreshCount(),
		calls: rotations * processes * calls,
		wrong,
		loggedIn: (await world.providers().of(server)?.state())?.status === 'logged in',
	};
}

function start(home: string, url: string) {
	const peer: ChildProcess = spawn(process.execPath, [program, home, url], {
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	const ended = once(peer, 'exit');
	const lines = peer.stdout
		? createInterface({input: peer.stdout})[Symbol.asyncIterator]()
		: undefined;
	return {
		call(count: number) {
			peer.stdin?.write(`${count}\n`);
		},
		next: async (): Promise<string> => (await lines?.next())?.value ?? 'the process has ended',
		async [Symbol.asyncDispose]() {
			peer.stdin?.end();
			await ended;
		},
	};
}
