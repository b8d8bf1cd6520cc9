import {createFakeClock, type FakeClock} from '../helpers/fake-clock.ts';

/** A clock whose wall time can be set, while the monotonic one goes on. */
export type JumpingClock = FakeClock & {jump(byMs: number): void};

export function createJumpingClock(startMs: number): JumpingClock {
	const clock = createFakeClock(startMs);
	let offset = 0;
	return {
		...clock,
		now: () => clock.now() + offset,
		get timersLeft() {
			return clock.timersLeft;
		},
		jump(byMs) {
			offset += byMs;
		},
	};
}
