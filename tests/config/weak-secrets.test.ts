import {expect, test} from 'vitest';
import {formatDiagnostic} from '../../source/config/format-diagnostic.ts';
import {buildRouteTable} from '../../source/config/route-table.ts';
import {configOf, createTemporaryHome} from './temporary-home.ts';

const says = 'a secret of fewer than 8 bytes can be guessed: use a long random one';

const loadRoutes = (webhook: string) => {
	using home = createTemporaryHome();
	return configOf(home.load({config: `platforms: {webhook: ${webhook}}`}));
};

const warningsOf = (webhook: string) =>
	loadRoutes(webhook).problems.map(({key, line, severity, message}) => [
		key,
		line,
		severity,
		message,
	]);

test('a short secret is warned of where it stands, and counts all the same', () => {
	const webhook =
		'{secret: global, routes: {a: {}, b: {secret: "1234567"}, c: {secret: ["12345678", x]}}}';
	expect(warningsOf(webhook)).toEqual([
		['platforms.webhook.secret', 1, 'warning', says],
		['platforms.webhook.routes.b.secret', 1, 'warning', says],
		['platforms.webhook.routes.c.secret', 1, 'warning', says],
	]);
	const {routes, refusals} = loadRoutes(webhook).webhook;
	expect([[...routes.keys()], refusals]).toEqual([['a', 'b', 'c'], []]);
});

test.for([
	'12345678',
	'ümläutß',
	'INSECURE_NO_AUTH',
	'whsec_MTIzNDU2Nzg=',
	`whpk_${Buffer.alloc(32).toString('base64')}`,
])('a secret that is long enough says nothing: %s', secret => {
	expect(
		warningsOf(`{host: 127.0.0.1, secret: "${secret}", routes: {r: {secret: "${secret}"}}}`),
	).toEqual([]);
});

test('the prefix makes a secret no longer where it is used as it is written', () => {
	expect(warningsOf('{routes: {r: {secret: whsec_abc, signature: stripe}}}')).toHaveLength(1);
	expect(warningsOf('{routes: {r: {secret: whsec_abcdefgh, signature: stripe}}}')).toEqual([]);
});

test('subscriptions are warned of too, the global secret not once more', () => {
	const config = loadRoutes('{secret: global}');
	const {warnings} = buildRouteTable(config, {entries: {own: {secret: 'short'}, other: {}}});
	expect(warnings.map(formatDiagnostic)).toEqual([expect.stringContaining(`own.secret: ${says}`)]);
});
