import {setImmediate} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {createLoginDesk, type LoginWatch} from '../../../source/mcp/logins/login-desk.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

const crm = {server: 'crm', profile: 'default'};

/** A desk whose logins end when a test says so. */
function deskOf() {
	const tries: Array<{
		readonly watch: LoginWatch;
		readonly succeed: () => void;
		readonly fail: (reason: string) => void;
	}> = [];
	const desk = createLoginDesk({
		clock: createFakeClock(1000),
		async perform(_place, _options, watch) {
			const {promise, resolve, reject} = Promise.withResolvers<void>();
			watch.signal.addEventListener('abort', () => {
				reject(watch.signal.reason);
			});
			tries.push({
				watch,
				succeed: resolve,
				fail: reason => {
					reject(new Error(reason));
				},
			});
			return promise;
		},
	});
	return {desk, tries, shown: () => desk.attempts().map(({status, url}) => [status, url])};
}

test('the newest try is shown, and an answer to the one before it counts', async () => {
	const {desk, tries, shown} = deskOf();
	desk.start(crm);
	tries[0]?.watch.tell({status: 'waiting', url: 'one'});
	desk.start(crm);
	tries[1]?.watch.tell({status: 'waiting', url: 'two'});
	expect(shown()).toEqual([['waiting', 'two']]);

	tries[0]?.watch.tell({status: 'finishing'});
	expect(shown()).toEqual([['finishing', 'one']]);
	tries[0]?.succeed();
	await setImmediate();

	expect(shown()).toEqual([['succeeded', 'one']]);
	expect(tries[1]?.watch.signal.aborted).toBe(true);
});

test('a try that the person has answered is neither ended nor doubled by another start, nor by a cancellation', async () => {
	const {desk, tries, shown} = deskOf();
	desk.start(crm);
	tries[0]?.watch.tell({status: 'finishing', url: 'one'});

	desk.start(crm);
	desk.cancel(crm);
	expect(tries).toHaveLength(1);
	expect(shown()).toEqual([['finishing', 'one']]);
	const closed = desk[Symbol.asyncDispose]();
	expect(tries[0]?.watch.signal.aborted).toBe(false);
	tries[0]?.succeed();
	await closed;
});

test('when an older try fails, the newest one goes on', async () => {
	const {desk, tries, shown} = deskOf();
	desk.start(crm);
	tries[0]?.watch.tell({status: 'waiting', url: 'one'});
	desk.start(crm);
	tries[1]?.watch.tell({status: 'waiting', url: 'two'});

	tries[0]?.watch.tell({status: 'finishing'});
	tries[0]?.fail('the server refused');
	await setImmediate();

	expect(shown()).toEqual([['waiting', 'two']]);
});

test('tries of one server are bounded: the oldest is given up', () => {
	const {desk, tries} = deskOf();
	for (let count = 0; count < 5; count++) {
		desk.start(crm);
	}

	expect(tries.map(({watch}) => watch.signal.aborted)).toEqual([true, true, false, false, false]);
});

test('servers log in side by side; a cancellation is about one', async () => {
	const {desk, tries, shown} = deskOf();
	desk.start(crm);
	desk.start({...crm, server: 'wiki'});
	desk.start({...crm, profile: 'work'});
	expect(desk.attempts()).toHaveLength(3);

	desk.cancel(crm);
	tries[1]?.fail('no');
	await setImmediate();

	expect(shown().map(([status]) => status)).toEqual(['cancelled', 'failed', 'starting']);
	expect(desk.attempts()[0]).toMatchObject({reason: 'The login was cancelled', endedAt: 1000});
});

test('who listens hears of every change; the list is the same object until then', () => {
	const {desk, tries} = deskOf();
	let changes = 0;
	const stop = desk.subscribe(() => {
		changes++;
	});
	desk.start(crm);
	const before = desk.attempts();
	expect(desk.attempts()).toBe(before);
	tries[0]?.watch.note('careful');
	expect(desk.attempts()).not.toBe(before);
	expect(desk.attempts()[0]?.notes).toEqual(['careful']);
	expect(changes).toBe(2);

	stop();
	desk.cancel(crm);
	expect(changes).toBe(2);
});

test('what is pasted is for the try that takes it; otherwise the newest says why not', () => {
	const {desk, tries} = deskOf();
	expect(desk.paste(crm, 'x')).toEqual({problem: 'No login waits for it'});
	desk.start(crm);
	tries[0]?.watch.onPaste(url => (url === 'one' ? {} : {problem: 'not one'}));
	desk.start(crm);
	tries[1]?.watch.onPaste(url => (url === 'two' ? {} : {problem: 'not two'}));

	expect(desk.paste(crm, 'one')).toEqual({});
	expect(desk.paste(crm, 'two')).toEqual({});
	expect(desk.paste(crm, 'three')).toEqual({problem: 'not two'});
});

test('a login that failed is shown until it is put away', async () => {
	const {desk, tries, shown} = deskOf();
	desk.start(crm);
	tries[0]?.fail('denied');
	await setImmediate();
	expect(shown()).toEqual([['failed', undefined]]);

	desk.cancel(crm);
	expect(shown()).toEqual([]);
});

test('the end of the desk waits for every try, also for those that were given up', async () => {
	let left = 0;
	const gate = Promise.withResolvers<void>();
	const desk = createLoginDesk({
		clock: createFakeClock(1000),
		async perform(_place, _options, {signal}) {
			left += 1;
			await new Promise(resolve => {
				signal.addEventListener('abort', resolve);
			});
			await gate.promise;
			left -= 1;
			throw signal.reason;
		},
	});
	for (let count = 0; count < 5; count++) {
		desk.start(crm);
	}

	const ended = desk[Symbol.asyncDispose]();
	expect(left).toBe(5);
	gate.resolve();
	await ended;
	expect(left).toBe(0);
});
