import {expect, test} from 'vitest';
import {diffConfig} from '../../source/config/diff-config.ts';
import {configOf, createTemporaryHome} from './temporary-home.ts';

const diff = (before: string, after: string) => {
	using home = createTemporaryHome();
	return diffConfig(configOf(home.load({config: before})), configOf(home.load({config: after})));
};

const webhook = (settings: string) => `platforms: {webhook: {${settings}}}`;

test('the same configuration differs in nothing', () => {
	expect(
		diff(webhook('secret: a, routes: {r: {}}'), webhook('secret: a, routes: {r: {}}')),
	).toEqual({
		changes: [],
		restartNeeded: [],
	});
});

test('"port and host need a restart and say so"', () => {
	expect(diff(webhook('port: 1'), webhook('port: 2, host: localhost'))).toEqual({
		changes: [
			'platforms.webhook.host 0.0.0.0 → localhost (after a restart)',
			'platforms.webhook.port 1 → 2 (after a restart)',
		],
		restartNeeded: ['platforms.webhook.host', 'platforms.webhook.port'],
	});
});

test('routes are named: added, removed, changed by key, refused', () => {
	const before = webhook('secret: a, routes: {gone: {}, same: {}, other: {prompt: x}}');
	const after = webhook(
		'secret: a, routes: {same: {}, other: {prompt: y, events: [push]}, fresh: {}, bad: {deliver_only: true}}',
	);
	expect(diff(before, after).changes).toEqual([
		'route fresh added',
		'route gone removed',
		'route other changed: events, prompt',
		expect.stringContaining('Route "bad" has "deliver_only"'),
	]);
});

test('values are shown, secrets never', () => {
	const before = `model: {name: small, api_key: key-one, base_url: "http://u:pw-one@h/v1"}\n${webhook('secret: hook-one')}`;
	const after = `model: {name: large, api_key: key-two, base_url: "http://u:pw-two@h/v1"}\n${webhook('secret: hook-two')}`;
	const {changes} = diff(before, after);
	expect(changes).toEqual([
		'platforms.webhook.secret changed',
		'model.name small → large',
		'model.base_url changed',
		'model.api_key changed',
	]);
});
