import type {BuiltInToolset} from '../toolset.ts';

/** The toolset `web`. @see manual/web.md */
export const webToolset: BuiltInToolset = {
	name: 'web',
	offers: () => [{name: 'web_fetch', asks: false, readOnly: true}],
	async open(_run, {settings, secureContext, ...world}) {
		const {webFetchTool} = await import('./web-fetch.ts');
		return [
			webFetchTool(world, {
				hosts: () => {
					const {broken, hosts} = settings().web;
					return broken === undefined ? hosts : [];
				},
				connections: {secureContext},
			}),
		];
	},
};
