/** What a tool server asks our model; bounded, and allowed by its policy. Its words are untrusted. @see manual/tool-servers.md#bounds */
export type SampleRequest = {
	/** The server's name in the configuration. */
	readonly server: string;
	/** Instead of the configured model; same provider. */
	readonly model?: string;
	/** The server's words, like the messages. */
	readonly system?: string;
	readonly messages: ReadonlyArray<{readonly role: 'user' | 'assistant'; readonly text: string}>;
	readonly maxTokens: number;
	readonly temperature?: number;
	readonly stopSequences?: readonly string[];
	/** Aborts at the policy's timeout, and when the server cancels or is gone. */
	readonly signal: AbortSignal;
};

export type Sampled = {
	readonly text: string;
	/** Name of the model that answered. */
	readonly model: string;
	/** `endTurn` or `maxTokens`, as far as the provider tells. */
	readonly stopReason?: string;
};
