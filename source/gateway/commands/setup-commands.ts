import {testMessage} from '../../platforms/outgoing-message.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {setup as table} from '../contract/setup.ts';
import type {Rooms} from '../rooms.ts';

/** The commands for setting up the receiver of a gateway in this process. */
export function createSetupCommands(
	rooms: Pick<Rooms, 'clock' | 'deliverer' | 'live' | 'receiver' | 'log'>,
): CommandsOf<typeof table> {
	const surroundings = async () => {
		const {live, receiver} = rooms;
		const {restartNeeded} = await import('../status/health.ts');
		return {
			config: live.current(),
			load: (text: string) => live.load(text),
			restartNeeded: (next: ReturnType<typeof live.current>) =>
				restartNeeded(live.started(), next, receiver.listensOn()),
		};
	};

	return {
		async planSetup(draft = {}) {
			const {planSetup} = await import('../../config/set-up.ts');
			return planSetup(draft, await surroundings());
		},
		async setUp(draft = {}) {
			const {setUp} = await import('../../config/set-up.ts');
			const judgedIn = await surroundings();
			const {secret} = await setUp(draft, {surroundings: judgedIn, clock: rooms.clock});
			const {live, log} = rooms;
			await live.reload();
			const current = live.current();
			const {platform} = draft;
			log.note(platform ? 'A platform was set up' : 'The receiver was set up', {
				file: current.paths.config,
				...(platform && {platform: platform.name}),
			});
			return {
				file: current.paths.config,
				...(secret !== undefined && {secret}),
				restartNeeded: judgedIn.restartNeeded(current),
			};
		},
		async testPlatform(name, extra = {}) {
			const {summary} = await rooms.deliverer.deliver(
				testMessage(name, extra, rooms.clock.now()),
				new AbortController().signal,
			);
			return {delivered: summary};
		},
	};
}
