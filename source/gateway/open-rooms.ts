import {setTimeout as pause} from 'node:timers/promises';
import type {Config} from '../config/config.ts';
import {createConfigWatcher} from '../config/watch.ts';
import {every} from '../core/clock.ts';
import {openIntake} from './open-intake.ts';
import type {GatewayWorld, Rooms, RoomWorld} from './rooms.ts';

/** Loading the second step keeps the thread for a while: senders that wait for the receiver are answered, and a screen is drawn, before that. Milliseconds. */
const firstAnswersMs = 15;

/** How often files are compared with what was read: not every file system tells of changes, and new profiles are not watched for. Milliseconds. */
const catchUpMs = 30_000;

/**
 * Builds the rooms and joins them, in two steps: what decides about requests, which then listens, and behind it what works on them. What is created first is closed last; the receiver closes
 * before everything else, the store almost last.
 *
 * @throws SvcError as `Gateway.started` says
 */
export async function openRooms(
	world: GatewayWorld & Pick<RoomWorld, 'broker' | 'busy'>,
	starting: Pick<Parameters<typeof openIntake>[1], 'ending' | 'onWaiting' | 'port'>,
): Promise<Rooms> {
	await using stack = new AsyncDisposableStack();
	/** What brings in work; closed before `stack`, also when the second step fails. */
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
	// Only now: a change that is seen before `follow` is set would be taken over by no room.
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
	// What was written before the watcher was ready.
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
