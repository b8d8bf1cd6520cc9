import {utimesSync, writeFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {createLogger, silentLogger} from '../../source/core/log.ts';
import {createLiveConfig} from '../../source/gateway/live-config.ts';
import {createTemporaryHome} from '../config/temporary-home.ts';

test('a change that touches no secret leaves the list of them as it is, so that nothing is made anew for it', () => {
	using home = createTemporaryHome();
	const {paths} = home;
	let secrets: readonly string[] = [];
	const live = createLiveConfig(
		{paths, environment: {}, clock: systemClock, emit() {}, log: silentLogger},
		{
			async onChange() {},
			onSecrets(now) {
				secrets = now;
			},
		},
	);
	const subscribe = (entry: JsonObject) => {
		writeFileSync(paths.subscriptions, JSON.stringify({a: entry}));
		live.routes();
		return secrets;
	};

	const before = subscribe({secret: 'of the first'});
	expect(before).toEqual(['of the first']);
	expect(subscribe({secret: 'of the first', description: 'changed'})).toBe(before);
	expect(subscribe({secret: 'another one'})).toEqual(['another one']);
});

test('what a subscription says without effect is logged when it is read, and once', () => {
	using home = createTemporaryHome();
	const {paths} = home;
	const messages: string[] = [];
	const live = createLiveConfig(
		{
			paths,
			environment: {},
			clock: systemClock,
			emit() {},
			log: createLogger({
				clock: systemClock,
				redact: text => text,
				write: ({message}) => messages.push(message),
			}),
		},
		{async onChange() {}, onSecrets() {}},
	);
	const subscribe = (entries: unknown, time: number) => {
		writeFileSync(paths.subscriptions, JSON.stringify(entries));
		utimesSync(paths.subscriptions, time, time);
		live.routes();
	};

	subscribe({a: {secret: 'long enough', events: null}}, 1000);
	subscribe(
		{
			a: {secret: 'long enough', events: null},
			b: {secret: 'long enough', events: null},
		},
		2000,
	);

	expect(messages).toEqual([
		'webhook_subscriptions.json:1:39 a.events: has no value, which is the same as no such key: give it one or remove it',
		'webhook_subscriptions.json:1:82 b.events: has no value, which is the same as no such key: give it one or remove it',
	]);
});

test('a reload that changes nothing is no news, not even as one', async () => {
	using home = createTemporaryHome();
	const records: unknown[] = [];
	const events: unknown[] = [];
	const live = createLiveConfig(
		{
			paths: home.paths,
			environment: {},
			clock: systemClock,
			emit: event => events.push(event),
			log: createLogger({
				clock: systemClock,
				redact: text => text,
				write: ({message, fields}) => records.push([message, fields]),
			}),
		},
		{async onChange() {}, onSecrets() {}},
	);
	await live.reload();
	expect(records).toEqual([]);
	expect(events).toContainEqual(expect.objectContaining({type: 'config-reloaded', changes: []}));
});

test('what slips in a file that was broken at the start is not replaced by defaults, which were never in use', async () => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.config, 'retention: {row_days: 3\n');
	const live = createLiveConfig(
		{
			paths: home.paths,
			environment: {WEBHOOK_ENABLED: 'true'},
			clock: systemClock,
			emit() {},
			log: silentLogger,
		},
		{async onChange() {}, onSecrets() {}},
	);
	expect(live.broken).toHaveLength(1);
	writeFileSync(
		home.paths.config,
		'retention: {row_days: none}\nplatforms: {webhook: {host: 5}}\nruns: {concurrency: x}\n',
	);
	await live.reload();
	expect(live.broken).toEqual([]);
	const {retention, webhook, runs, itemErrors} = live.current();
	expect(retention).toBeUndefined();
	expect(webhook).toMatchObject({
		enabled: false,
		broken: expect.stringContaining('config.yaml:2:'),
	});
	expect(runs.concurrency).toBe(0);
	expect([...itemErrors.values()].map(({kept}) => kept)).toEqual([false, false, false]);
	// Nor is there a last good version of it later.
	writeFileSync(home.paths.config, 'retention: {row_days: never}\n');
	await live.reload();
	expect(live.current().retention).toBeUndefined();
});
