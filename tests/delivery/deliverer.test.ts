import {describe, expect, test} from 'vitest';
import {isUncertain} from '../../source/platforms/delivery-error.ts';
import {createFixture, failureOf, makeMessage} from './delivery-fixture.ts';

describe('`log`: "Writes the response to the gateway log"', () => {
	test('one record per answer, cleaned, redacted and bounded', async () => {
		await using fixture = createFixture({secretValues: ['hunter2-hunter2']});
		const text = `first\nhunter2-hunter2 \u001b[31m${'x'.repeat(100_000)}`;

		const receipt = await fixture.deliver(makeMessage('log', {}, {text}));

		expect(receipt).toEqual({summary: 'gateway log'});
		expect(fixture.records).toHaveLength(1);
		expect(fixture.records[0]).toMatchObject({
			level: 'note',
			source: 'delivery',
			fields: {route: 'gh-review', event: 'pull_request', delivery: 'abc123', run: 7},
		});
		expect(fixture.records[0]?.message).toMatch(
			/^Answer of route "gh-review": first␊\[redacted\] ␛\[31mx+…$/,
		);
		expect(fixture.records[0]?.message.length).toBeLessThanOrEqual(2000);
	});

	test("the answer of a job's run names the job, and no delivery", async () => {
		await using fixture = createFixture();
		const {delivery: _, ...message} = makeMessage('log', {}, {route: '-', event: 'schedule'});
		await fixture.deliver({...message, job: {id: 'job_abcd1234', name: 'nightly'}});
		expect(fixture.records[0]).toMatchObject({
			message: 'Answer of job "nightly": Looks good to me.',
			fields: {job: 'job_abcd1234', event: 'schedule', run: 7},
		});
		expect(fixture.records[0]?.fields).not.toHaveProperty('delivery');
	});

	test('needs no keys and takes an empty text', async () => {
		await using fixture = createFixture();

		expect(fixture.deliverer.problemWith({kind: 'log', extra: {}})).toBeUndefined();
		await expect(fixture.deliver(makeMessage('log', {}, {text: ''}))).resolves.toBeDefined();
	});
});

describe('the offline engine: "its text goes to `log` only unless `model.allow_offline_delivery: true`"', () => {
	const message = makeMessage(
		'forge_comment',
		{repo: 'acme/api', pr_number: 7},
		{offline: true, text: 'digest'},
	);

	test('its text is logged instead, and the receipt says why', async () => {
		await using fixture = createFixture({cli: '/nowhere'});

		const {summary, withheld} = await fixture.deliver(message);

		expect(withheld).toBe(true);
		expect(summary).toBe(
			'gateway log instead of forge_comment: no language model wrote it, and model.allow_offline_delivery is not set',
		);
		expect(fixture.records.map(record => record.message)).toEqual([
			'Answer of route "gh-review": digest',
		]);
	});

	test('with the permission it is delivered', async () => {
		await using fixture = createFixture({cli: '/nowhere', allowOfflineDelivery: true});

		expect((await failureOf(fixture.deliver(message))).code).toBe('forge_client_missing');
		expect(fixture.records).toEqual([]);
	});

	test('an unknown target stays an error', async () => {
		await using fixture = createFixture();

		expect(
			(await failureOf(fixture.deliver({...message, target: {kind: 'x', extra: {}}}))).code,
		).toBe('platform_unknown');
	});
});

describe('platforms', () => {
	test.for([
		['slak', 'platform_unknown', '"slak" is not a platform, did you mean "slack"?'],
		['pigeon', 'platform_unknown', '"pigeon" is not a platform'],
		['constructor', 'platform_unknown', '"constructor" is not a platform'],
		['__proto__', 'platform_unknown', '"__proto__" is not a platform'],
		['pi\u001b[2Jgeon', 'platform_unknown', '"pi␛[2Jgeon" is not a platform'],
	] as const)('%j: %s', async ([kind, code, problem]) => {
		await using fixture = createFixture();

		expect(fixture.deliverer.problemWith({kind, extra: {}})).toBe(problem);
		expect(await failureOf(fixture.deliver(makeMessage(kind)))).toEqual({
			code,
			message: `Cannot deliver: ${problem}`,
			retryable: false,
		});
	});

	test('"The target platform must be enabled"', async () => {
		const extra = {chat_id: 'ops@example.com'};
		await using fixture = createFixture();

		expect(fixture.deliverer.platforms()).toEqual([]);
		expect(fixture.deliverer.problemWith({kind: 'email', extra})).toBe(
			'platform "email" is not enabled; see platforms.email',
		);
		expect((await failureOf(fixture.deliver(makeMessage('email', extra)))).code).toBe(
			'platform_disabled',
		);
	});
});

test.for(['', ' \n\t'])('the empty text %j is delivered nowhere but to the log', async text => {
	await using fixture = createFixture();

	const {code} = await failureOf(
		fixture.deliver(makeMessage('forge_comment', {repo: 'a/b', pr_number: 1}, {text})),
	);

	expect(code).toBe('empty_message');
});

test('a delivery whose signal is aborted does not begin', async () => {
	await using fixture = createFixture();

	expect((await failureOf(fixture.deliver(makeMessage('log'), AbortSignal.abort()))).code).toBe(
		'delivery_aborted',
	);
	expect(fixture.records).toEqual([]);
});

test('only a `DeliveryError` can be uncertain', () => {
	expect(isUncertain(new Error('x'))).toBe(false);
	expect(isUncertain({isUncertain: true})).toBe(false);
	expect(isUncertain(undefined)).toBe(false);
});

test.for([
	['log', true],
	['forge_comment', false],
	['email', true],
	['pigeon', false],
] as const)('a delivery to %s whose end nobody saw may be handed over again: %s', ([kind, may]) => {
	expect(createFixture().deliverer.mayRepeat(kind)).toBe(may);
});
