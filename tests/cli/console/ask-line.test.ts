import {PassThrough, Writable} from 'node:stream';
import {expect, test} from 'vitest';
import {askLine} from '../../../source/cli/console/ask-line.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

test.for([false, true])(
	'the terminal reads key by key before the question is on it (a secret: %s)',
	async masked => {
		const events: string[] = [];
		const stdin = Object.assign(new PassThrough(), {
			isTTY: true,
			setRawMode(isRaw: boolean) {
				events.push(isRaw ? 'raw' : 'cooked');
			},
		});
		const stderr = Object.assign(
			new Writable({
				write(chunk, _encoding, done) {
					if (String(chunk).includes('Token?')) {
						events.push('question');
						stdin.write('typed\r');
					}

					done();
				},
			}),
			{isTTY: true},
		);
		const {text} = await askLine(
			{
				stdin: stdin as unknown as NodeJS.ReadStream & {fd: 0},
				stderr: stderr as unknown as NodeJS.WriteStream & {fd: 2},
				environment: {TERM: 'xterm'},
				clock: createFakeClock(),
			},
			'Token? ',
			{masked},
		);

		expect(text).toBe('typed');
		expect(events).toEqual(['raw', 'question', 'cooked']);
	},
);
