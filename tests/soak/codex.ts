import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, readFile} from 'node:fs/promises';
import {
	chunkOf,
	lastEvent,
	sendStream,
	usageChunk,
	type UpstreamRequest,
} from '../helpers/chat-upstream.ts';
import {startRelay} from '../helpers/relay.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

export type CodexReport = {
	/** Of Codex to the gateway, each passed on. */
	readonly requests: number;
	/** Tools that it brought, as the model's server saw them. */
	readonly tools: readonly string[];
	readonly wrong: readonly string[];
};

const maxMs = 120_000;

type Called = {readonly name: string; readonly args: object; readonly said: string};

/** What the model does, one after the other; the second tool is one of a namespace, and is asked for what it cannot find. */
const calls: readonly Called[] = [
	{name: 'exec_command', args: {cmd: 'echo by-codex > made.txt'}, said: 'I write it. '},
	{name: 'multi_agent_v1__close_agent', args: {target: 'nobody'}, said: ''},
	{name: 'exec_command', args: {cmd: 'cat made.txt'}, said: 'I read it. '},
];
const lastWords = 'It is written.';

/** A turn of `codex exec` with a relay whose model calls three tools: the program at that path runs commands of ours in a folder for once, and asks nobody but the gateway. */
export async function workWithCodex(program: string): Promise<CodexReport> {
	await using home = await temporaryHome();
	await using relay = await startRelay(answer);
	const {api, upstream} = relay;
	await home.write('codex/config.toml', configOf(api.url));
	await mkdir(home.file('work'));
	const {code, stdout, stderr} = await run(program, {
		cwd: home.file('work'),
		env: {
			PATH: process.env['PATH'] ?? '',
			HOME: home.path,
			CODEX_HOME: home.file('codex'),
			SVC_KEY: api.key,
			// Whatever else it would ask is not there.
			HTTPS_PROXY: 'http://127.0.0.1:9',
			HTTP_PROXY: 'http://127.0.0.1:9',
			NO_PROXY: '127.0.0.1',
		},
	});
	const made = await readFile(home.file('work/made.txt'), 'utf8').catch(() => '');
	const last = upstream.requests.at(-1)?.body;
	const results = messagesOf(last)
		.filter(({role}) => role === 'tool')
		.map(({content}) => String(content));
	const wrong = [
		...(code === 0 ? [] : [`it ended with ${code}: ${stderr.slice(-500)}`]),
		...(made === 'by-codex\n' ? [] : ['it did not write the file']),
		...(stdout.includes(lastWords) ? [] : [`it did not say how it ended: ${stdout.slice(-500)}`]),
		...(results.length === calls.length ? [] : [`it sent ${results.length} results of tools`]),
		...(results[1]?.includes('unsupported call') === false ? [] : ['it did not know its own tool']),
		...(results[2]?.includes('by-codex') ? [] : ['it did not send back what it read']),
		...(upstream.requests.length === calls.length + 1
			? []
			: ['it asked more or less than once a step']),
	];
	return {
		requests: upstream.requests.length,
		tools: ((last?.tools ?? []) as Array<{function: {name: string}}>).map(one => one.function.name),
		wrong,
	};
}

type Message = {readonly role: string; readonly content: unknown};

const messagesOf = (body: {messages?: readonly Message[]} | undefined): readonly Message[] =>
	body?.messages ?? [];

function answer(request: UpstreamRequest): void {
	const step = messagesOf(request.body).filter(({role}) => role === 'tool').length;
	const called = calls[step];
	if (!called) {
		sendStream(
			request,
			chunkOf({content: lastWords}, {finishReason: 'stop'}),
			usageChunk,
			lastEvent,
		);
		return;
	}

	const {name, args, said} = called;
	const text = JSON.stringify(args);
	sendStream(
		request,
		chunkOf({reasoning_content: `Step ${step + 1}`}),
		chunkOf({content: said}),
		chunkOf({
			tool_calls: [
				{index: 0, id: `call_${step}`, type: 'function', function: {name, arguments: ''}},
			],
		}),
		chunkOf({tool_calls: [{index: 0, function: {arguments: text.slice(0, 5)}}]}),
		chunkOf({tool_calls: [{index: 0, function: {arguments: text.slice(5)}}]}),
		chunkOf({}, {finishReason: 'tool_calls'}),
		usageChunk,
		lastEvent,
	);
}

const configOf = (url: string) => `
model = "fast"
model_provider = "svc"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.svc]
name = "svc"
base_url = "${url}/v1"
env_key = "SVC_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`;

async function run(
	program: string,
	{cwd, env}: {readonly cwd: string; readonly env: Readonly<Record<string, string>>},
) {
	const args = ['exec', '--json', '--skip-git-repo-check', '--sandbox', 'danger-full-access', 'Go'];
	const child = spawn(program, args, {
		cwd,
		env,
		stdio: ['ignore', 'pipe', 'pipe'],
		timeout: maxMs,
	});
	let stdout = '';
	let stderr = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		stdout += text;
	});
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		stderr += text;
	});
	const [code] = (await once(child, 'close')) as [number | null];
	return {code, stdout, stderr};
}
