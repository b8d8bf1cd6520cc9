/** Of `errorCodes`, those of platforms that are asked over HTTP. */
export const platformErrorCodes = {
	delivery_uncertain:
		'The connection broke after the message was sent, and it may have arrived: look in the chat; `svc runs retry N` sends that part and the missing ones',
	message_gone: 'The message to be changed was deleted; a new one is sent',
	platform_failed:
		'The platform is away or busy, or its answer cannot be read; the delivery is tried again',
	platform_rate_limited: 'The platform asks to wait; the delivery is tried again after that',
	platform_rejected: 'The platform refuses this message; the error contains its reason',
	platform_unauthorized: 'The platform refuses the credentials: see its settings',
	platform_unreachable:
		'There is no connection to the platform: check its address and the network; the delivery is tried again',
} as const;
