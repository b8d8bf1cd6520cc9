import type {HistoryStep} from '../../store/history/port.ts';
import type {Records} from './gateway-access.ts';

/** More never are: of approvals and of groups. */
const maxListed = {approvals: 1000, groups: 5000};

/** The part of a home's records that belongs to a profile which its gateway serves. Disposing of it disposes of them. */
export function recordsOfProfile(records: Records, profile: string): Records {
	const isOwn = (record: {readonly profile: string}) => record.profile === profile;
	const own = <T extends {readonly profile: string}>(record: T | undefined): T | undefined =>
		record && isOwn(record) ? record : undefined;
	const ownOf = <T extends {readonly profile: string}>(step: HistoryStep<T>): HistoryStep<T> => ({
		...step,
		items: step.items.filter(isOwn),
	});
	const {deliveries, runs, groups, approvals} = records;
	return {
		live: records.live,
		deliveries: {
			get: async id => own(await deliveries.get(id)),
			list: filter => deliveries.list({...filter, profile}),
			search: async question => ownOf(await deliveries.search(question)),
			async count() {
				const counts = await deliveries.count();
				return {...counts, routes: counts.routes.filter(isOwn)};
			},
		},
		runs: {
			get: async id => own(await runs.get(id)),
			list: filter => runs.list({...filter, profile}),
			search: async question => ownOf(await runs.search(question)),
		},
		groups: {
			get: async id => own(await groups.get(id)),
			list: async ({limit, ...filter}) =>
				(await groups.list({...filter, limit: maxListed.groups})).filter(isOwn).slice(0, limit),
		},
		approvals: {
			list: async ({limit, ...filter}) =>
				(await approvals.list({...filter, limit: maxListed.approvals}))
					.filter(isOwn)
					.slice(0, limit),
			get: async id => own(await approvals.get(id)),
			rules: async () => (await approvals.rules()).filter(isOwn),
		},
		[Symbol.asyncDispose]: () => records[Symbol.asyncDispose](),
	};
}
