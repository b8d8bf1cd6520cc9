import {setTimeout as pause} from 'node:timers/promises';
import type {Config} from '../config/config.ts';
import {createConfigWatcher} from '../config/watch.ts';
import {every} from '../core/clock.ts';
import {openIntake} from './open-intake.ts';
import type {GatewayWorld, Rooms, RoomWorld} from './rooms.ts';

/** Delay before the second step is loaded, which blocks the thread: lets the receiver answer waiting senders and the screen draw first. Milliseconds. */
const firstAnswersMs = 15;

/** How often files are checked for changes, milliseconds: not every file system reports changes, and new profiles are not watched for. */
const catchUpMs = 30_000;

/**
 * Builds the rooms and connects them in two steps: first the parts that decide how requests are answered, after which the receiver listens, then the parts that do the
 * work. They close in reverse order; the receiver first, the store almost last.
 *
 * @throws SvcError as `Gateway.started` says
 */
export async function openRooms(
	world: GatewayWorld & Pick<RoomWorld, 'broker' | 'busy'>,
	starting: Pick<Parameters<typeof openIntake>[1], 'ending' | 'onWaiting' | 'port'>,
): Promise<Rooms> {
	await using stack = new AsyncDisposableStack();
	/** Parts that bring in work; closed before `stack`, even if the second step fails. */
	await using front = new AsyncDisposableStack();
	let follow: ((next: Config, previous: Config) => Promise<void>) | undefined;
	const intake = await openIntake(world, {
		...starting,
		stack,
		front,
		onChange: async (next, previous) => follow?.(next, previous),
	});
	const {receiver} = intake;
	const {live, log} = intake.world;
	live.routes();
	await receiver.start();
	await pause(firstAnswersMs);
	const {openWorks} = await import('./open-works.ts');
	const works = await openWorks(intake, stack);
	follow = async (next, previous) => works.follow(next, previous);
	// Created only now: before `follow` is set, no room would apply a change.
	const watcher = stack.use(
		createConfigWatcher({
			...intake.world,
			log: log.from('config'),
			onChange() {
				void live.reload();
			},
		}),
	);
	stack.defer(every(world.clock, catchUpMs, () => live.catchUp()));
	// Covers changes from before the watcher was ready.
	void watcher.ready.then(() => live.catchUp());

	stack.use(front.move());
	const all = stack.move();
	return {
		...intake.world,
		...intake,
		...works.rooms,
		async [Symbol.asyncDispose]() {
			log.note('The gateway is stopping', {active_runs: works.rooms.dispatcher.active});
			await all.disposeAsync();
		},
	};
}
