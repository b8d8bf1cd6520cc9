import {setTimeout as sleep} from 'node:timers/promises';
import {Client} from 'pg';
import type {PostgresServer} from '../../helpers/postgres.ts';
import {type Member, openRig, postEvent} from './rig.ts';

/** Requests at a time. */
const atOnce = 64;
const windowMs = 60_000;

export type SameIdReport = {
	readonly rounds: number;
	/** Answers by status. */
	readonly answers: Readonly<Record<string, number>>;
	readonly runs: number;
	readonly wrong: readonly string[];
};

/** 64 requests with one identifier at three gateways at once, in each round: one is accepted, the others are duplicates. */
export async function raceSameIds(
	postgres: PostgresServer,
	{rounds}: {readonly rounds: number},
): Promise<SameIdReport> {
	const url = await postgres.create('same_ids');
	await using rig = await openRig({
		urlOf: () => url,
		webhook: {routes: {agent: {prompt: '{id}', deliver: 'log'}}},
	});
	const {members} = rig;
	await Promise.all(members.map(async member => member.start()));
	const answers: Record<string, number> = {};
	const wrong: string[] = [];
	for (let round = 0; round < rounds; round += 1) {
		const given = await Promise.all(
			Array.from({length: atOnce}, async (_, nth) =>
				postEvent(urlOf(members, nth), {route: 'agent', id: `same-${round}`}),
			),
		);
		for (const {status} of given) {
			answers[status] = (answers[status] ?? 0) + 1;
		}

		const duplicates = given.filter(
			({status, text}) => status === 200 && text.includes('duplicate'),
		);
		const accepted = given.filter(({status}) => status === 202);
		if (accepted.length !== 1 || duplicates.length !== atOnce - 1) {
			wrong.push(
				`round ${round}: ${accepted.length} were accepted, ${duplicates.length} were duplicates`,
			);
		}
	}

	const counted = await ask<{name: string; runs: number}>(
		url,
		'select delivery.delivery_id as name, count(run.id)::integer as runs from delivery left join run on run.delivery = delivery.id group by 1',
	);
	for (let round = 0; round < rounds; round += 1) {
		const name = `same-${round}`;
		const runs = counted.find(row => row.name === name)?.runs ?? 0;
		if (runs !== 1) {
			wrong.push(`${name} has ${runs} runs`);
		}
	}

	return {
		rounds,
		answers,
		runs: counted.reduce((sum, {runs}) => sum + runs, 0),
		wrong: [...wrong, ...members.flatMap(({faults}) => faults())],
	};
}

export type WindowsReport = {
	/** Windows that were seen from their begin to the begin of the next, of all routes. */
	readonly windows: number;
	/** How many windows let so many pass. */
	readonly passed: Readonly<Record<string, number>>;
	readonly answers: Readonly<Record<string, number>>;
	readonly wrong: readonly string[];
};

const limit = 30;

/** A steady flood of 64 requests at a time on routes that let 30 pass each minute, over three gateways: each window of each route lets 30 pass, by the times of the database. */
export async function floodWindows(
	postgres: PostgresServer,
	{
		minutes,
		routes,
		pauseMs,
	}: {readonly minutes: number; readonly routes: number; readonly pauseMs: number},
): Promise<WindowsReport> {
	const url = await postgres.create('windows');
	const names = Array.from({length: routes}, (_, nth) => `route-${nth}`);
	await using rig = await openRig({
		urlOf: () => url,
		webhook: {
			routes: Object.fromEntries(
				names.map(name => [
					name,
					{prompt: '{id}', deliver: 'log', rate_limit: limit, overflow: 'reject'},
				]),
			),
		},
	});
	const {members} = rig;
	await Promise.all(members.map(async member => member.start()));
	const answers: Record<string, number> = {};
	const until = performance.now() + minutes * windowMs + 5000;
	const client = async (nth: number) => {
		for (let count = nth; performance.now() < until; count += 1) {
			const route = names[count % names.length] ?? '';
			const {status} = await postEvent(urlOf(members, Math.floor(count / names.length)), {
				route,
				id: `${route}-${nth}-${count}`,
			});
			answers[status] = (answers[status] ?? 0) + 1;
			await sleep(pauseMs);
		}
	};

	await Promise.all(Array.from({length: atOnce}, async (_, nth) => client(nth)));
	const rows = await ask<{route: string; at: number}>(
		url,
		'select route, created_at::float as at from run order by route, created_at',
	);
	const passed: Record<string, number> = {};
	const wrong: string[] = [];
	let windows = 0;
	for (const [route, times] of Map.groupBy(rows, row => row.route)) {
		const counts: number[] = [];
		let last = -Infinity;
		for (const {at} of times) {
			// Under a flood a window is used up at its begin: what follows much later is of the next.
			if (at - last > windowMs / 4) {
				counts.push(0);
			}

			counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1;
			last = at;
		}

		for (const count of counts) {
			windows += 1;
			passed[count] = (passed[count] ?? 0) + 1;
			if (count !== limit) {
				wrong.push(`a window of ${route} let ${count} pass`);
			}
		}

		if (counts.length < minutes) {
			wrong.push(`${route} had ${counts.length} windows`);
		}
	}

	const odd = Object.keys(answers).filter(status => !['202', '429'].includes(status));
	return {
		windows,
		passed,
		answers,
		wrong: [
			...wrong,
			...odd.map(status => `${answers[status]} were answered ${status}`),
			...members.flatMap(({faults}) => faults()),
		],
	};
}

const urlOf = (members: readonly Member[], nth: number): string =>
	members[nth % members.length]?.url() ?? '';

/** Rows of one statement, on a connection of its own. */
export async function ask<Row extends Record<string, unknown>>(
	url: string,
	statement: string,
): Promise<readonly Row[]> {
	const client = new Client({connectionString: url});
	await client.connect();
	try {
		return (await client.query<Row>(statement)).rows;
	} finally {
		await client.end();
	}
}
