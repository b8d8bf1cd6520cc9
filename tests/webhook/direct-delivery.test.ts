import {expect, test} from 'vitest';
import {SvcError} from '../../source/core/errors.ts';
import {DeliveryError} from '../../source/platforms/delivery-error.ts';
import {makeRoute, startReceiver} from './start-receiver.ts';

const route = makeRoute({
	deliverOnly: true,
	deliver: 'email',
	prompt: 'Hello {name}',
	deliverExtra: {chat_id: '{to}', subject: '{event_type}', n: 1},
});

const id = {'X-Forge-Delivery': 'd-1', 'X-Forge-Event': 'push'};

const failing = async () => {
	throw new SvcError('smtp_rejected', 'Cannot deliver to "a@b.c": the mailbox\u001b[2J is full');
};

test('200: `deliver_only` delivery succeeded: `status` = `delivered`, `route`, `target`, `delivery_id`', async () => {
	await using receiver = await startReceiver({routes: [route]});
	const answer = await receiver.post({name: 'Ada', to: 'a@b.c'}, id);
	expect([answer.status, answer.json]).toEqual([
		200,
		{status: 'delivered', route: 'hook', target: 'email', delivery_id: 'd-1'},
	]);
	expect(receiver.messages).toMatchObject([
		{
			text: 'Hello Ada',
			target: {kind: 'email', extra: {chat_id: 'a@b.c', subject: 'push', n: 1}},
			route: 'hook',
			event: 'push',
			delivery: receiver.last().id,
			offline: false,
		},
	]);
	expect(receiver.woken).toEqual([]);
	expect(await receiver.store.journal.get(receiver.last().id)).toMatchObject({
		outcome: 'delivered',
		status: 200,
	});
});

test('a delivered id is a duplicate within the hour and not delivered again', async () => {
	await using receiver = await startReceiver({routes: [route]});
	await receiver.post({}, id);
	const answer = await receiver.post({}, id);
	expect([answer.status, answer.json]).toEqual([200, {status: 'duplicate', delivery_id: 'd-1'}]);
	expect(receiver.messages).toHaveLength(1);
});

test('502: generic `Delivery failed`; the reason only in the log; the id is not consumed', async () => {
	let fails = true;
	await using receiver = await startReceiver({
		routes: [route],
		deliver: async () => (fails ? failing() : {summary: 'sent'}),
	});
	const answer = await receiver.post({}, id);
	expect([answer.status, answer.json]).toEqual([
		502,
		{error: 'Delivery failed', delivery_id: 'd-1'},
	]);
	expect(receiver.step('dispatch')).toBe(
		'smtp_rejected: Cannot deliver to "a@b.c": the mailbox␛[2J is full',
	);
	expect(receiver.log).toEqual([
		expect.stringMatching(/^warn Cannot deliver event of route "hook"/),
	]);
	expect(await receiver.store.journal.get(receiver.last().id)).toMatchObject({status: 502});

	fails = false;
	expect((await receiver.post({}, id)).json['status']).toBe('delivered');
});

test('"an uncertain `deliver_only` answers 502 and its id is consumed: the sender\'s repetition is `duplicate`"', async () => {
	await using receiver = await startReceiver({
		routes: [route],
		async deliver() {
			throw new DeliveryError('delivery_uncertain', 'Cannot send: the connection broke');
		},
	});
	expect((await receiver.post({}, id)).status).toBe(502);
	expect(receiver.step('dispatch')).toBe('delivery_uncertain: Cannot send: the connection broke');

	const answer = await receiver.post({}, id);
	expect([answer.status, answer.json]).toEqual([200, {status: 'duplicate', delivery_id: 'd-1'}]);
	expect(receiver.messages).toMatchObject([{identifier: 'd-1'}]);
});

test('an id that another gateway sends now is refused for now', async () => {
	let isFree = false;
	await using receiver = await startReceiver({
		routes: [route],
		intake: {reserve: async () => ({kind: isFree ? 'reserved' : 'under-way', of: 'x'})},
	});
	const answer = await receiver.post({}, id);
	expect([answer.status, answer.headers['retry-after']]).toEqual([503, '10']);
	expect(receiver.messages).toEqual([]);
	isFree = true;
	expect((await receiver.post({}, id)).json['status']).toBe('delivered');
});

test('concurrent requests with the same id: the second waits for the first; delivered makes it a duplicate', async () => {
	await using receiver = await startReceiver({routes: [route]});
	const answers = await Promise.all(Array.from({length: 10}, async () => receiver.post({}, id)));
	expect(answers.filter(({json}) => json['status'] === 'delivered')).toHaveLength(1);
	expect(answers.filter(({json}) => json['status'] === 'duplicate')).toHaveLength(9);
	expect(receiver.messages).toHaveLength(1);
});

test('concurrent requests with the same id: when the first failed the second tries itself', async () => {
	let attempts = 0;
	await using receiver = await startReceiver({
		routes: [route],
		deliver: async () => {
			attempts += 1;
			return attempts === 1 ? failing() : {summary: 'sent'};
		},
	});
	const answers = await Promise.all([receiver.post({}, id), receiver.post({}, id)]);
	expect(new Set(answers.map(({status}) => status))).toEqual(new Set([200, 502]));
	expect(attempts).toBe(2);
});

test('more than 16 that wait for one id: 503 with `Retry-After`', async () => {
	const releases: Array<() => void> = [];
	await using receiver = await startReceiver({
		routes: [route],
		deliver: async () =>
			new Promise(resolve => {
				releases.push(() => {
					resolve({summary: 'sent'});
				});
			}),
	});
	const answers = Array.from({length: 20}, async () => receiver.post({}, id));
	const [first] = await Promise.all([
		Promise.race(answers),
		(async () => {
			while (receiver.deliveries.length < 3 || releases.length === 0) {
				await new Promise<void>(resolve => {
					setImmediate(resolve);
				});
			}
		})(),
	]);
	expect(first).toMatchObject({status: 503});
	expect(first.headers['retry-after']).toBe('10');
	releases[0]?.();
	const statuses = (await Promise.all(answers)).map(({status}) => status);
	expect(statuses.filter(status => status === 503)).toHaveLength(3);
	expect(receiver.messages).toHaveLength(1);
});

test('a target that does not answer within 25 s is told to stop: 502', async () => {
	await using receiver = await startReceiver({
		routes: [route],
		deliver: async (_, signal) =>
			new Promise((_resolve, reject) => {
				signal.addEventListener('abort', () => {
					reject(signal.reason as Error);
				});
			}),
	});
	const answer = receiver.post({}, id);
	while (receiver.messages.length === 0) {
		await new Promise<void>(resolve => {
			setImmediate(resolve);
		});
	}

	receiver.clock.advance(25_000);
	expect((await answer).status).toBe(502);
	expect(receiver.step('dispatch')).toContain('not done within 25 s');
});

test('a message that is out stays delivered when the journal fails afterwards; the log says it', async () => {
	await using receiver = await startReceiver({
		routes: [route],
		intake: {
			record: async () => {
				throw new SvcError('journal_unavailable', 'Cannot write the journal: the disk is full');
			},
		},
	});
	expect((await receiver.post({}, id)).status).toBe(200);
	expect(receiver.log).toEqual([expect.stringMatching(/^error Cannot record delivery/)]);
	expect(receiver.step('journal')).toContain('not recorded');
});

const broken = async () => {
	throw new SvcError('journal_unavailable', 'Cannot write the journal: the disk is full');
};

test('journal cannot be written: 503 `Could not durably accept the delivery` with `Retry-After`; id not consumed, nothing delivered', async () => {
	let failure: string | undefined = 'Cannot write the journal: the disk is full';
	await using receiver = await startReceiver({
		routes: [route],
		journalFailing: () => failure,
	});
	const answer = await receiver.post({}, id);
	expect([answer.status, answer.json]).toEqual([
		503,
		{error: 'Could not durably accept the delivery'},
	]);
	expect(answer.headers['retry-after']).toBe('10');
	expect(receiver.step('journal')).toBe(failure);
	expect(receiver.messages).toEqual([]);

	failure = undefined;
	expect((await receiver.post({}, id)).json['status']).toBe('delivered');
});

test('a duplicate is not re-delivered, though the journal failed when its message was out', async () => {
	await using receiver = await startReceiver({routes: [route], intake: {record: broken}});
	await receiver.post({}, id);
	const answer = await receiver.post({}, id);
	expect([answer.status, answer.json]).toEqual([200, {status: 'duplicate', delivery_id: 'd-1'}]);
	expect(receiver.messages).toHaveLength(1);

	receiver.clock.advance(3_600_000);
	expect((await receiver.post({}, id)).json['status']).toBe('delivered');
});

test('a byte-identical body is not re-delivered, though the journal failed when its message was out', async () => {
	await using receiver = await startReceiver({
		routes: [{...route, dedupeBody: true}],
		intake: {record: broken},
	});
	await receiver.post({}, id);
	const answer = await receiver.post({}, {...id, 'X-Forge-Delivery': 'd-2'});
	expect(answer.json['status']).toBe('duplicate');
	expect(receiver.messages).toHaveLength(1);
});

test('a journal that cannot be asked: 503, and nothing is delivered', async () => {
	await using receiver = await startReceiver({
		routes: [route],
		intake: {
			reserve: async () => {
				throw new SvcError('journal_unavailable', 'Cannot read the journal');
			},
		},
	});
	expect((await receiver.post({}, id)).status).toBe(503);
	expect(receiver.messages).toEqual([]);
});
