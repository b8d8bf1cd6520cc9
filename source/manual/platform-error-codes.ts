/** Of `errorCodes`, those of platforms that are asked over HTTP. */
export const platformErrorCodes = {
	delivery_uncertain:
		'It broke after the message was written, so that it may have arrived: look there; `svc runs retry N` sends that part again, and what is missing',
	message_gone: 'The message that was to be changed is not there any more; another one is sent',
	platform_failed: 'The platform is away, busy, or answers what cannot be read; it is tried again',
	platform_rate_limited: 'The platform asks to wait; it is tried again after that',
	platform_rejected: 'The platform does not take this message: its words are in the message',
	platform_unauthorized: "The platform does not take our credentials: see the platform's settings",
	platform_unreachable:
		'No connection to the platform: its address, the network; it is tried again',
} as const;
