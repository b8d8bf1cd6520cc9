import {expect, test} from 'vitest';
import {answersQuestions, backgroundOf, hearBackground} from '../../source/terminal/background.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

const escape = '\u001B';
const color = (value: string) => `${escape}]11;${value}\u0007`;
const attributes = `${escape}[?64;22c`;

test.for([
	['rgb:0000/0000/0000', 'dark'],
	['rgb:1e1e/1e1e/2e2e', 'dark'],
	['rgb:f/f/f', 'light'],
	['rgb:fd/f6/e3', 'light'],
	['rgb:fff/000/000', 'light'],
	['rgb:00/00/ff', 'dark'],
	['rgba:ffff/ffff/ffff/0000', 'light'],
	['rgb:6f/6f/6f', 'dark'],
	['rgb:80/80/80', 'light'],
	['rgb:fffff/0/0', undefined],
	['rgb:ff/ff', undefined],
	['#ffffff', undefined],
] as const)('what is behind the text is %s: %s', ([value, background]) => {
	expect(backgroundOf(color(value))).toBe(background);
});

test('whatever ends the answer', () => {
	expect(backgroundOf(`${escape}]11;rgb:ff/ff/ff${escape}\\`)).toBe('light');
	expect(backgroundOf(`${escape}]10;rgb:ff/ff/ff\u0007`)).toBeUndefined();
});

test.for([
	[{TERM: 'xterm-256color'}, true],
	[{TERM: 'tmux-256color', TMUX: '/tmp/tmux'}, true],
	[{TERM: 'screen-256color', TMUX: '/tmp/tmux'}, true],
	[{TERM: 'screen-256color'}, false],
	[{TERM: 'xterm-256color', STY: '1.tty'}, false],
	[{TERM: 'linux'}, false],
	[{TERM: 'dumb'}, false],
	[{}, false],
] as const)('whether %j is asked: %s', ([environment, asked]) => {
	expect(answersQuestions(environment)).toBe(asked);
});

function hear() {
	const clock = createFakeClock();
	const heard: string[] = [];
	let handler: ((raw: string) => void) | undefined;
	const end = hearBackground(
		{
			clock,
			limitMs: 200,
			expectAnswers(wanted) {
				handler = wanted;
				return () => {
					handler = undefined;
				};
			},
		},
		background => heard.push(background),
	);
	return {
		clock,
		heard,
		end,
		say: (raw: string) => handler?.(raw),
		isHearing: () => handler !== undefined,
	};
}

test('the colour counts within the limit, and nothing is due after the attributes', () => {
	const {clock, heard, say, isHearing} = hear();
	clock.advance(200);
	say(color('rgb:ff/ff/ff'));
	expect([heard, isHearing()]).toEqual([['light'], true]);
	say(attributes);
	expect([isHearing(), clock.timersLeft]).toEqual([false, 0]);
});

test('a late colour is not minded, and nothing is due two seconds later', () => {
	const {clock, heard, say, isHearing} = hear();
	clock.advance(201);
	say(color('rgb:ff/ff/ff'));
	expect([heard, isHearing()]).toEqual([[], true]);
	clock.advance(1799);
	expect(isHearing()).toBe(false);
});

test('leaving ends the wait', () => {
	const {clock, end, isHearing} = hear();
	end();
	expect([isHearing(), clock.timersLeft]).toEqual([false, 0]);
});
