import {baseUrlOf, type ModelSpec} from './providers.ts';

/** Where a model speaks the API of OpenAI, which all of the hosted providers do beside their own. */
export type ChatAddress = {
	/** Of its chat completions. */
	readonly url: string;
	/** With the key. */
	readonly headers: Readonly<Record<string, string>>;
	/** The provider's name of the model. */
	readonly model: string;
	/** How an answer is bounded: newer models of OpenAI refuse the older name, most other servers know no other. */
	readonly limitField: 'max_tokens' | 'max_completion_tokens';
};

const paths: Partial<Record<ModelSpec['provider'], string>> = {google: '/openai'};

/** Of the model of `spec`; `undefined` for the offline model. @throws SvcError `model_misconfigured` */
export function chatAddressOf(spec: ModelSpec): ChatAddress | undefined {
	const url = baseUrlOf(spec);
	if (!url) {
		return undefined;
	}

	const {provider, name, apiKey} = spec;
	const base = url.pathname.replace(/\/+$/, '');
	// Who configures the address of this kind itself has it already.
	const path = paths[provider] ?? '';
	url.pathname = `${base.endsWith(path) ? base : `${base}${path}`}/chat/completions`;
	return {
		url: url.href,
		headers: apiKey ? {authorization: `Bearer ${apiKey}`} : {},
		model: name,
		limitField: provider === 'openai' ? 'max_completion_tokens' : 'max_tokens',
	};
}
