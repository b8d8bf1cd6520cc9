import {expect, test} from 'vitest';
import {createBodyRoom} from '../../source/api/http/body-room.ts';
import {startApi} from '../helpers/api.ts';
import {messages, models} from '../helpers/relay.ts';

const mega = 2 ** 20;

test('bodies of one key take half of the room at most, all together the whole, and give it back once', () => {
	const room = createBodyRoom();
	const first = room.open('a');
	const second = room.open('a');
	expect([first.take(100 * mega), second.take(28 * mega), second.take(1)]).toEqual([
		true,
		true,
		false,
	]);
	using other = room.open('b');
	expect([other.take(128 * mega), other.take(1)]).toEqual([true, false]);
	expect(room.open('c').take(1)).toBe(false);
	first[Symbol.dispose]();
	first[Symbol.dispose]();
	using third = room.open('a');
	expect([third.take(100 * mega), third.take(1)]).toEqual([true, false]);
});

test('a request that finds no room is told when to come again, and the next finds some', async () => {
	await using api = await startApi({models, max_body_bytes: 200 * mega});
	const asked = {model: 'fast', messages};
	const answer = await api.chat(`{"x": "${'x'.repeat(129 * mega)}"}`);
	expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toMatchObject([
		503,
		'1',
		{error: {code: 'busy', message: expect.stringContaining('may be held at a time')}},
	]);
	for (let round = 0; round < 2; round++) {
		const whole = await api.chat({...asked, user: 'x'.repeat(70 * mega)});
		expect(whole.status).toBe(200);
		await whole.text();
	}
});
