import type {BuiltInToolset, OfferedTool} from '../toolset.ts';

/** The definition of the tool `web_fetch`. */
export const webFetchOffer: OfferedTool = {name: 'web_fetch', asks: false, readOnly: true};

/** The toolset `web`. @see manual/web.md */
export const webToolset: BuiltInToolset = {
	name: 'web',
	offers: () => [webFetchOffer],
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
