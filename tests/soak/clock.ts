import {spawnSync} from 'node:child_process';
import {createHmac} from 'node:crypto';
import {existsSync} from 'node:fs';
import {gatewayHome} from '../helpers/gateway.ts';
import {hookSecret, post} from '../helpers/post.ts';
import {startSvc, svc} from '../helpers/svc.ts';

/** A wall clock for a gateway: where it begins, and by how much it jumps while a group waits. */
export type ClockCase = {readonly start: string; readonly jumpSeconds: number};

export const clockCases: readonly ClockCase[] = [
	'2026-11-21 12:00:00',
	'1970-01-02 00:00:00',
	'2026-03-29 01:59:50',
	'2026-10-25 02:59:50',
	'2037-12-31 23:59:50',
	'2039-06-01 00:00:00',
	'2100-02-28 23:59:50',
].flatMap(start => [0, 3600, -3600, -600].map(jumpSeconds => ({start, jumpSeconds})));

const library = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu']
	.map(folder => `${folder}/faketime/libfaketime.so.1`)
	.find(existsSync);

/** Whether libfaketime (Debian: `faketime`) is there. */
export const canFakeTime = library !== undefined;

const windowMs = 1000;
const maxWaitMs = 3000;
/** What a loaded machine may add to a wait. */
const graceMs = 2500;
const lookMs = 1000;
const maxLooks = 45;

/**
 * A gateway on a faked wall clock. Returns what did not hold, one line each: a group that was dispatched too early or too late although only the wall
 * clock jumped, a signed time stamp at the edge of the tolerance that was taken wrongly, a job that fired twice or not at all.
 */
export async function wallClock({start, jumpSeconds}: ClockCase): Promise<readonly string[]> {
	const wrong: string[] = [];
	const expectThat = (holds: boolean, what: string) => {
		if (!holds) {
			wrong.push(`${start} ${jumpSeconds} s: ${what}`);
		}
	};
	await using home = await gatewayHome({
		config: {
			model: {provider: 'offline'},
			platforms: {
				webhook: {enabled: true, host: '127.0.0.1', port: 0, secret: hookSecret, rate_limit: 1000},
			},
		},
		subscriptions: {
			hook: {prompt: 'Event {id}'},
			group: {
				prompt: 'Event {id}',
				coalesce: {
					key: 'entity',
					window_seconds: windowMs / 1000,
					max_wait_seconds: maxWaitMs / 1000,
				},
			},
		},
	});
	const clockFile = home.file('clock');
	const base = new Date(`${start.replace(' ', 'T')}Z`).getTime();
	const realStart = Date.now();
	let offsetSeconds = Math.round((base - realStart) / 1000);
	const setClock = async (seconds: number) => {
		offsetSeconds = seconds;
		await home.write('clock', `${seconds >= 0 ? '+' : ''}${seconds}`);
	};
	const fakeNow = () => Math.floor(Date.now() / 1000) + offsetSeconds;
	await setClock(offsetSeconds);
	const env = {
		LD_PRELOAD: library ?? '',
		FAKETIME_TIMESTAMP_FILE: clockFile,
		FAKETIME_NO_CACHE: '1',
		FAKETIME_DONT_FAKE_MONOTONIC: '1',
		TZ: 'Europe/Berlin',
	};
	await svc(['cron', 'add', '--name', 'tick', '--schedule', 'every 2s', '--prompt', 'Tick'], {
		home: home.path,
		env,
	});
	await using gateway = startSvc(['gateway', 'run'], {home: home.path, env});
	const [, url = ''] = await gateway.waitFor(/Listening on (\S+)/);

	for (const [skew, status] of [
		[-298, 202],
		[-303, 401],
		[298, 202],
		[303, 401],
	] as const) {
		const answer = await postAt(`${url}/webhooks/hook`, fakeNow() + skew);
		expectThat(answer === status, `a time stamp ${skew} s off was answered ${answer}`);
	}

	const sentAt = performance.now();
	const {json} = await post(`${url}/webhooks/group`, {payload: {id: 'g', entity: 'one'}});
	expectThat(json.status === 'coalesced', `the event was answered ${JSON.stringify(json)}`);
	await setClock(offsetSeconds + jumpSeconds);
	await gateway.waitFor(/Answer of route "group"/);
	const waitedMs = performance.now() - sentAt;
	expectThat(
		waitedMs >= windowMs && waitedMs <= windowMs + graceMs,
		`a group of ${windowMs} ms waited ${Math.round(waitedMs)} ms`,
	);

	const ticksSoFar = async (): Promise<number> => {
		const {stdout} = await svc(['runs', 'list', '--json'], {home: home.path, env});
		const runs: ReadonlyArray<{readonly event: string}> = JSON.parse(stdout);
		return runs.filter(({event}) => event === 'schedule').length;
	};
	const before = await ticksSoFar();
	let ticks = before;
	// A clock that was set back is noticed within half a minute.
	for (let tries = 0; ticks === before && tries < maxLooks; tries++) {
		await new Promise(resolve => {
			setTimeout(resolve, lookMs);
		});
		ticks = await ticksSoFar();
	}

	const livedSeconds = (performance.now() - sentAt) / 1000 + 5;
	expectThat(ticks > before, 'the job did not fire after the jump');
	expectThat(
		ticks <= livedSeconds / 2 + 2,
		`the job fired ${ticks} times in about ${Math.round(livedSeconds)} s`,
	);
	return wrong;
}

/** The status of an event whose V2 signature was made at `seconds`. */
async function postAt(url: string, seconds: number): Promise<number> {
	const body = JSON.stringify({id: `at-${seconds}`});
	const response = await fetch(url, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			'x-webhook-timestamp': String(seconds),
			'x-webhook-signature-v2': createHmac('sha256', hookSecret)
				.update(`${seconds}.${body}`)
				.digest('hex'),
		},
		body,
		signal: AbortSignal.timeout(10_000),
	});
	return response.status;
}

/** Whether a faked clock reaches Node at all on this machine. */
export const timeIsFaked = (): boolean =>
	canFakeTime &&
	spawnSync(process.execPath, ['-p', 'new Date().getUTCFullYear()'], {
		env: {LD_PRELOAD: library ?? '', FAKETIME: '2039-06-01 00:00:00'},
		encoding: 'utf8',
	}).stdout.trim() === '2039';
