import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {createServer, type AddressInfo, type Socket} from 'node:net';
import {createInterface} from 'node:readline';
import {officialProgram} from '../../helpers/official-program.ts';
import type {TemporaryHome} from '../../helpers/temporary-home.ts';
import type {Scenario} from './examined-client.ts';

// The suite starts a program for each of its scenarios: this one, which hands the scenario to the process of the tests and
// ends as that one says. Eighty starts of the client itself took four fifths of the time.
const relay = `exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
printf '%s\\n' "$2" "$MCP_CONFORMANCE_SCENARIO" "\${MCP_CONFORMANCE_CONTEXT:-{\\}}" >&3
code=1
while read -r line <&3; do
	case $line in
		exit\\ *) code=\${line#exit } ;;
		*) printf '%s\\n' "$line" >&2 ;;
	esac
done
exit "$code"
`;

/** Goes through one scenario; resolves with whether it was connected in the end. */
export type Examine = (
	scenario: Scenario,
	io: {readonly write: (line: string) => void; readonly signal: AbortSignal},
) => Promise<boolean>;

type ServedClient = AsyncDisposable & {
	readonly command: string;
	/** Scenarios that were ended without a connection. */
	readonly unconnected: ReadonlySet<string>;
};

/** A client as a command for the suite. */
export async function serveClient(folder: TemporaryHome, examine: Examine): Promise<ServedClient> {
	await folder.write('relay.sh', relay);
	const unconnected = new Set<string>();
	const server = createServer(socket => void answer(socket, {examine, unconnected}));
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const {port} = server.address() as AddressInfo;
	return {
		unconnected,
		command: `bash ${folder.file('relay.sh')} ${port}`,
		async [Symbol.asyncDispose]() {
			server.close();
			await once(server, 'close');
		},
	};
}

async function answer(
	socket: Socket,
	{examine, unconnected}: {readonly examine: Examine; readonly unconnected: Set<string>},
): Promise<void> {
	const gone = new AbortController();
	socket.on('error', () => {}).on('close', () => gone.abort());
	const write = (line: string) => socket.write(`${line}\n`);
	try {
		const scenario = await readScenario(socket);
		unconnected.add(scenario.name);
		if (await examine(scenario, {write, signal: gone.signal})) {
			unconnected.delete(scenario.name);
		}

		write('exit 0');
	} catch (error) {
		write(String(error));
		write('exit 1');
	}

	socket.end();
}

async function readScenario(socket: Socket): Promise<Scenario> {
	const lines = createInterface({input: socket})[Symbol.asyncIterator]();
	const next = async (): Promise<string> => (await lines.next()).value ?? '';
	return {
		url: await next(),
		name: await next(),
		context: JSON.parse(await next()),
	};
}

const suite = officialProgram('conformance');

/** Runs the suite with the Node that runs this test; older ones cannot start it. Resolves with its exit code and what it said. */
export async function runSuite(
	options: Readonly<Record<string, string>>,
): Promise<{readonly code: unknown; readonly said: string}> {
	const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
	return new Promise(resolve => {
		execFile(
			process.execPath,
			[suite, 'client', ...args],
			{timeout: 200_000, maxBuffer: 64 * 1024 * 1024},
			(error, stdout, stderr) => {
				resolve({code: error ? error.code : 0, said: stdout || stderr});
			},
		);
	});
}
