import {expect, test} from 'vitest';
import {watchStreams} from '../../../source/mcp/wire/stream-watch.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

function watch() {
	const clock = createFakeClock();
	const seen: string[] = [];
	const watched = watchStreams({
		clock,
		onLost: () => seen.push('lost'),
		onTooLarge: () => seen.push('too large'),
	});
	return {
		clock,
		seen,
		open: () => {
			watched.opened();
		},
		end: (retryMs?: number) => {
			watched.ended(retryMs);
		},
		burst: () => {
			watched.tooLarge();
		},
		stop: () => {
			watched[Symbol.dispose]();
		},
	};
}

test('"stream lost mid-call: fail within 3 s"', () => {
	const {clock, seen, open, end} = watch();
	open();
	clock.advance(60_000);
	expect(seen).toEqual([]);
	end();
	clock.advance(2999);

	expect(seen).toEqual(['lost']);
});

test('a stream that is opened again in time saves the call', () => {
	const {clock, seen, open, end} = watch();
	open();
	end();
	clock.advance(2000);
	open();
	clock.advance(60_000);
	expect(seen).toEqual([]);
	end();
	clock.advance(3000);

	expect(seen).toEqual(['lost']);
});

test('a server that closes its stream and says when to come back is waited for', () => {
	const {clock, seen, open, end} = watch();
	open();
	end(10_000);
	clock.advance(12_000);
	expect(seen).toEqual([]);
	clock.advance(1000);

	expect(seen).toEqual(['lost']);
});

test('a pause of more than 30 s is a loss', () => {
	const {clock, seen, open, end} = watch();
	open();
	end(31_000);
	clock.advance(3000);

	expect(seen).toEqual(['lost']);
});

test('nothing is lost that was answered', () => {
	const {clock, seen, open, end, burst, stop} = watch();
	open();
	end();
	stop();
	burst();
	end();
	clock.advance(60_000);

	expect(seen).toEqual([]);
});
