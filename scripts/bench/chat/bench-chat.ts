import {once} from 'node:events';
import {Agent, request as httpRequest, type IncomingMessage} from 'node:http';
import type {BenchOptions} from '../main.ts';
import {progress, type Line, type Report} from '../report.ts';
import {median} from '../statistics.ts';
import {startChatServers, type ChatRelay, type ChatServer} from './chat-servers.ts';

const pacedTokens = 100;
const paceSeconds = 0.05;
const usualStreams = 200;
const warmUps = 200;

type Sample = {readonly what: string; readonly by: string; readonly value: number};

/** What the relay adds to the bare server of a model: both are measured in turn, in one run. */
export async function benchChat({
	rounds = 3,
	seconds = 4,
	connections: [streams = usualStreams] = [],
	before,
	profile,
}: BenchOptions): Promise<Report> {
	const samples: Sample[] = [];
	await using servers = await startChatServers({before, profile});
	const all = [servers.upstream, ...servers.relays];
	for (const server of all) {
		await ask(server, {}, warmUps);
	}

	for (let round = 1; round <= rounds; round++) {
		for (const server of all) {
			progress(`round ${round} of ${rounds}: ${server.name}`);
			const add = (what: string, value: number) => samples.push({what, by: server.name, value});
			add(
				'p50 ms, in one piece',
				await medianOver(seconds, async () => (await askOnce(server, {})).ms),
			);
			add(
				'first word ms, one client',
				await medianOver(
					seconds,
					async () => (await askOnce(server, {stream: true, max_tokens: 10, top_p: 0})).firstMs,
				),
			);
			samples.push(...(await paced(server, streams)));
		}
	}

	return {
		title: `chat: ${rounds} rounds of ${seconds} s, ${streams} streams of ${pacedTokens} tokens, one in ${paceSeconds * 1000} ms; medians`,
		lines: linesOf(samples),
		notes: [
			'"added": the relay less the bare server in the same run. Goals: 0.3 ms in one piece, 2 ms to the first word, 5 ms of CPU for 100 tokens, no stream that failed, 150 MB more than before.',
			'"with the screen": the interface in a pseudo terminal of 120x36 that follows 50 signed events a second; what it takes without streams is taken off its CPU.',
			'The load is made by the benchmark itself, on the same cores: with many streams the first word waits for it, too.',
		],
		data: samples,
	};
}

/** Many streams at once, at the pace of a model. */
async function paced(server: ChatServer | ChatRelay, streams: number): Promise<readonly Sample[]> {
	const relay = 'rssMb' in server ? server : undefined;
	const idleMb = relay?.rssMb() ?? 0;
	const before = relay?.cpuMicros() ?? 0;
	const start = performance.now();
	let most = 0;
	const look = () => {
		most = Math.max(most, relay?.rssMb() ?? 0);
	};
	const looking = setInterval(look, 250);
	const answers = await Promise.all(
		Array.from({length: streams}, async () =>
			askOnce(server, {stream: true, max_tokens: pacedTokens, top_p: paceSeconds}).catch(
				() => undefined,
			),
		),
	);
	clearInterval(looking);
	look();
	const restMs = ((performance.now() - start) * (relay?.restPercent ?? 0)) / 100;
	const whole = answers.filter(answer => answer?.text.includes('data: [DONE]'));
	const sample = (what: string, value: number) => ({what, by: server.name, value});
	return [
		sample('streams that failed', streams - whole.length),
		sample('first word ms, all streams', median(whole.map(answer => answer?.firstMs ?? 0))),
		...(relay
			? [
					sample('cpu ms for 100 tokens', ((relay.cpuMicros() - before) / 1000 - restMs) / streams),
					sample('MB before', idleMb),
					sample('MB at most', most),
				]
			: []),
	];
}

async function medianOver(seconds: number, measure: () => Promise<number>): Promise<number> {
	const values: number[] = [];
	for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
		values.push(await measure());
	}

	return median(values);
}

const agent = new Agent({keepAlive: true, maxSockets: Infinity});

async function ask(server: ChatServer, more: object, times: number): Promise<void> {
	for (let time = 0; time < times; time++) {
		await askOnce(server, more);
	}
}

async function askOnce({url, key}: ChatServer, more: object) {
	const body = JSON.stringify({
		model: 'svc-model-1',
		messages: [{role: 'user', content: 'Say something'}],
		...more,
	});
	const start = performance.now();
	const request = httpRequest(`${url}/chat/completions`, {
		method: 'POST',
		agent,
		headers: {
			authorization: `Bearer ${key}`,
			'content-type': 'application/json',
			'content-length': Buffer.byteLength(body),
		},
	});
	request.end(body);
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	let text = '';
	let firstMs = 0;
	for await (const part of response.setEncoding('utf8')) {
		text += String(part);
		firstMs ||= text.includes('"word ') ? performance.now() - start : 0;
	}

	if (response.statusCode !== 200) {
		throw new Error(`${url} answered ${String(response.statusCode)}: ${text.slice(0, 200)}`);
	}

	return {ms: performance.now() - start, firstMs, text};
}

function linesOf(samples: readonly Sample[]): readonly Line[] {
	return [...Map.groupBy(samples, ({what}) => what)].map(([what, group]) => {
		const [bare, relay, screen, old] = ['bare upstream', 'relay', 'with the screen', 'before'].map(
			by => median(group.filter(one => one.by === by).map(({value}) => value)),
		);
		const shown = (value = Number.NaN) => (Number.isNaN(value) ? '' : value.toFixed(2));
		return {
			what,
			'bare upstream': shown(bare),
			relay: shown(relay),
			added: shown((relay ?? Number.NaN) - (bare ?? Number.NaN)),
			'with the screen': shown(screen),
			'added with it': shown((screen ?? Number.NaN) - (bare ?? Number.NaN)),
			// Only where there is one.
			...(samples.some(({by}) => by === 'before') && {before: shown(old)}),
		};
	});
}
