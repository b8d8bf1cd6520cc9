import type {SenderWorld, TargetKind} from '../target-kind.ts';

/** Cut before it is cleaned; a record of the log holds less anyway. */
const maxTextLength = 8000;

/** The gateway log: one record per answer, as much of it as a record holds. The whole answer stays in the journal. @see manual/delivery-log.md */
export const log = {
	kind: 'log',
	reachesPeople: false,
	afterBreak: 'repeated',
	place: () => 'the log',
	effect: () => 'writes the answer to the log',
	check: () => ({ok: true, value: undefined}),
	// Nothing has to be loaded for it: it is what remains when others fail.
	load: async () => ({connect}),
} as const satisfies TargetKind<unknown, undefined>;

const connect: Awaited<ReturnType<TargetKind['load']>>['connect'] = (_, world: SenderWorld) => ({
	async send({text, route, event, delivery, job, runId}) {
		const whose = job ? `job "${job.name}"` : `route "${route}"`;
		world.log.note(`Answer of ${whose}: ${text.slice(0, maxTextLength)}`, {
			route,
			event,
			delivery,
			job: job?.id,
			run: runId,
		});
		return {place: 'gateway log'};
	},
});
