/** Emoji and their names, the most common first. */
export const EMOJI: readonly (readonly [sign: string, names: readonly string[]])[] = `
👍 thumbsup +1 yes
👎 thumbsdown -1 no
👀 eyes looking
✅ white_check_mark done
🎉 tada party
❤️ heart love
😂 joy laugh
🙏 pray thanks
🚀 rocket ship
🔥 fire
💯 100
👏 clap
😄 smile happy
😀 grinning
😅 sweat_smile
🙂 slightly_smiling
😉 wink
😍 heart_eyes
🤔 thinking hmm
😐 neutral
🙄 roll_eyes
😬 grimacing
😴 sleeping
😎 sunglasses cool
🥳 partying
😢 cry sad
😭 sob
😱 scream
😡 rage angry
🤯 exploding_head
🤷 shrug
🤦 facepalm
🙌 raised_hands
💪 muscle
🤝 handshake deal
👋 wave hello
✋ hand stop
👌 ok_hand
🤞 fingers_crossed
🫡 salute
☝️ point_up
👇 point_down
👉 point_right
👈 point_left
🧠 brain
🤖 robot bot
👻 ghost
💀 skull
🐛 bug
🦆 duck
🐢 turtle slow
🐙 octopus
🦄 unicorn
🌱 seedling
🌍 earth
☀️ sunny
🌧️ rain
⛈️ storm
⚡ zap
❄️ snowflake
🌊 ocean
☕ coffee
🍕 pizza
🍰 cake
🍺 beer
🍿 popcorn
🏆 trophy
🎯 dart target
🎁 gift
💡 bulb idea
🔔 bell
🔕 no_bell mute
📌 pushpin pin
📎 paperclip
📈 chart_up
📉 chart_down
📊 bar_chart
📅 calendar
🕐 clock
⏳ hourglass wait
⏰ alarm
🔒 lock
🔓 unlock
🔑 key
🔧 wrench fix
🔨 hammer
🛠️ tools
⚙️ gear
🧪 test_tube test
🧯 extinguisher
🚒 fire_engine
🚨 rotating_light alert
🚧 construction
🛑 stop_sign
⚠️ warning
❌ x cross
❓ question
❗ exclamation
➕ plus
➖ minus
♻️ recycle
🟢 green_circle
🟡 yellow_circle
🔴 red_circle
🔵 blue_circle
⬆️ arrow_up
⬇️ arrow_down
➡️ arrow_right
🔁 repeat retry
🔍 mag search
📝 memo note
📚 books docs
📦 package
🗑️ wastebasket trash
💬 speech
💾 floppy save
💻 laptop
🖥️ desktop
📱 phone
🌐 globe
☁️ cloud
🐳 whale docker
🐘 elephant
🐍 snake python
🦀 crab rust
💸 money
🏁 finish
🏳️ white_flag
🆘 sos
🆗 ok
🆕 new
✨ sparkles
⭐ star
💥 boom collision
💤 zzz
`
  .trim()
  .split('\n')
  .map((line) => {
    const [sign = '', ...names] = line.split(' ');
    return [sign, names] as const;
  });

/** Offered first for reactions. */
export const COMMON_EMOJI: readonly string[] = EMOJI.slice(0, 6).map(([sign]) => sign);
