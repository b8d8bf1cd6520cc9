import {once} from 'node:events';
import {createServer, type AddressInfo, type Socket} from 'node:net';
import {createInterface} from 'node:readline';
import type {ToolServerConfig} from '../../../source/config/tool-server.ts';
import type {TemporaryHome} from '../../helpers/temporary-home.ts';
import {examineClient, type Scenario} from './examined-client.ts';

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

type ServedClient = AsyncDisposable & {
	readonly command: string;
	/** Scenarios that it has ended without a connection. */
	readonly unconnected: ReadonlySet<string>;
};

/** The examined client, whose server has this `protocol`, as a command for the suite. */
export async function serveClient(
	folder: TemporaryHome,
	protocol: ToolServerConfig['protocol'],
): Promise<ServedClient> {
	await folder.write('relay.sh', relay);
	const unconnected = new Set<string>();
	const server = createServer(socket => void answer(socket, {protocol, unconnected}));
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
	{
		protocol,
		unconnected,
	}: {readonly protocol: ToolServerConfig['protocol']; readonly unconnected: Set<string>},
): Promise<void> {
	const gone = new AbortController();
	socket.on('error', () => {}).on('close', () => gone.abort());
	const write = (line: string) => socket.write(`${line}\n`);
	try {
		const scenario = await readScenario(socket);
		unconnected.add(scenario.name);
		if (await examineClient(scenario, {protocol, write, signal: gone.signal})) {
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
