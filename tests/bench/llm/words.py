"""What the generator of pages draws from. Nothing here knows of tasks."""

# ruff: noqa: E501 - lists of words are read by the line

PLACES = (
    "Millbrook Library", "Harbour Museum", "Greenfield Garden Club", "Station Road Bakery", "Northside Gym",
    "Elm Street Clinic", "Riverside Theatre", "Old Mill Hostel", "City Cycle Repair", "Lakeside Music School",
    "Hilltop Observatory", "Quayside Fish Market", "Willow Pottery", "Westgate Swimming Pool",
)  # fmt: skip

PAGES = (
    "About us", "Contact", "Events", "Membership", "Directions", "Gallery", "News", "Jobs", "Partners", "Help",
    "Courses", "Press", "History", "Volunteers", "Downloads", "Imprint", "Staff", "Archive", "Groups",
)  # fmt: skip

FILLERS = (
    "We are glad that you found us.",
    "Please note that the lift is out of order this week.",
    "Dogs are welcome if they are kept on a lead.",
    "Our neighbours kindly let visitors use their car park.",
    "A guided walk around the building takes about an hour.",
    "Groups are asked to tell us beforehand.",
    "The entrance is around the corner, next to the bicycle stand.",
    "Last year more people came than ever before.",
    "Photographs may be taken without a flash.",
    "Everything on these pages was written by volunteers.",
    "If you find a mistake, we would like to hear of it.",
    "The café next door serves soup and cake.",
)

PEOPLE = (
    ("Ada Lovelace", "ada@example.com"), ("Grace Hopper", "grace.hopper@example.org"),
    ("Alan Turing", "alan@example.net"), ("Katherine Johnson", "k.johnson@example.com"),
    ("Edsger Dijkstra", "edsger@example.org"), ("Radia Perlman", "radia.p@example.com"),
    ("Tim Okafor", "tim.okafor@example.net"), ("Lena Brandt", "lena_brandt@example.org"),
    ("Yusuf Demir", "yusuf@example.com"), ("Chiara Conti", "chiara.conti@example.it"),
)  # fmt: skip

CITIES = (
    "Lisbon",
    "Graz",
    "Malmö",
    "Bergen",
    "Lyon",
    "Kraków",
    "Cork",
    "Turin",
    "Ghent",
    "Porto",
    "Tartu",
    "Leeds",
)
STREETS = ("Harbour Street", "Mill Lane", "Station Road", "Elm Avenue", "Castle Hill", "Bridge Street")
PASSWORDS = ("tulip-77", "k33p-out", "blue.horse9", "Winter2027!", "seven_seas", "pa55-the-salt")
MESSAGES = (
    "Is there a place to leave a bicycle?",
    "We will be ten minutes late",
    "Please call me back in the afternoon",
    "Do you have a table by the window?",
    "The heating in room 4 is broken",
    "Thank you for the lovely evening",
)

BUTTONS = (
    "Refresh", "Print", "Mute", "Zoom in", "Show map", "Start timer", "Next picture", "Rotate", "Full screen",
    "Shuffle", "Pause", "Copy link", "Play video", "Mark all as read", "Archive all", "Rewind", "Expand all",
    "Take a note", "Hide pictures", "Ring the bell", "Turn on the light", "Larger text", "Read aloud", "Undo",
)  # fmt: skip
SAID_AFTER = ("Done: {name}.", "“{name}” was used.", "{name}: ready.", "OK, {name}.")

SELECTS: dict[str, tuple[str, ...]] = {
    "Language": ("English", "Deutsch", "Português", "Français", "Italiano", "Svenska"),
    "Country": ("Austria", "Belgium", "Estonia", "Ireland", "Norway", "Portugal", "Spain"),
    "Colour": ("Red", "Dark blue", "Light blue", "Green", "Yellow", "Black"),
    "Currency": ("Euro", "Swiss franc", "Norwegian krone", "Pound sterling", "US dollar"),
    "Department": ("Sales", "Support", "Accounting", "Press office", "Repairs"),
    "Room": ("Room 1", "Room 2", "Room 12", "Great hall", "Cellar", "Attic"),
    "Time zone": ("Lisbon", "Vienna", "Helsinki", "New York", "Tokyo"),
    "Sort by": ("Newest first", "Oldest first", "Price, lowest first", "Price, highest first", "Name"),
    "Instrument": ("Piano", "Violin", "Cello", "Flute", "Clarinet", "Drums"),
    "Day": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"),
}

RADIOS: dict[str, tuple[str, ...]] = {
    "Delivery": ("Pick up", "By post", "By courier"),
    "Size": ("Small", "Medium", "Large", "Extra large"),
    "Ticket": ("Adult", "Child", "Student", "Family"),
    "Payment": ("Cash", "Card", "Bank transfer"),
    "Seat": ("Window", "Aisle", "Middle"),
    "Level": ("Beginner", "Intermediate", "Advanced"),
    "Breakfast": ("Continental", "Vegetarian", "None"),
    "Bread": ("Rye", "Wheat", "Spelt", "Corn"),
}

BOXES = (
    "Weekly summary", "SMS alerts", "Dark mode", "Remember this device", "Show prices with tax", "Public profile",
    "Daily reminder", "Autoplay videos", "Share my location", "Send me offers", "Large print", "Two-step sign-in",
    "Gift wrapping", "Wheelchair access", "Quiet carriage", "Keep me signed in", "Show archived items",
)  # fmt: skip

ARTICLES: dict[str, str] = {
    "Bridge reopens in May": "the bridge",
    "Choir seeks tenors": "the choir",
    "New bus line to the hospital": "the bus line",
    "Storm damages the old oak": "the storm",
    "Chess club wins the cup": "the chess club",
    "Library extends its hours": "the library",
    "Two swans return to the pond": "the swans",
    "Baker retires after forty years": "the baker",
    "Town hall gets a new roof": "the town hall",
    "Flea market moves indoors": "the flea market",
    "Fire brigade shows its engines": "the fire brigade",
    "School garden opens to visitors": "the school garden",
}
"""Title to what it is about."""

GOODS = (
    "Copper pan", "Paper lantern", "Linen towel", "Walnut tray", "Oak stool", "Wool blanket", "Blue teapot",
    "Garden shears", "Brass bell", "Cork board", "Straw hat", "Clay jug", "Tin box", "Reading lamp", "Door mat",
)  # fmt: skip
COURSES = ("Watercolour", "First aid", "Spanish for beginners", "Bread baking", "Bookbinding", "Yoga", "Guitar",
           "Photography", "Chess", "Sewing", "Beekeeping", "Calligraphy")  # fmt: skip
TEACHERS = (
    "Ms Almeida",
    "Mr Novak",
    "Dr Fischer",
    "Ms Okoye",
    "Mr Lindqvist",
    "Ms Rossi",
    "Mr Haddad",
    "Dr Byrne",
)
OFFICES = ("Reception", "Ticket office", "Lost property", "Workshop", "Head office", "Emergency desk")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

SAVE = ("Save", "Save changes", "Apply", "Update", "Store settings")
LEAVE = ("Cancel", "Reset", "Back", "Restore defaults", "Discard")
SAVED = ("Your changes were saved.", "Everything is stored.", "The settings are up to date.")
THANKS = ("Thank you!", "We have received it.", "All done.", "It was sent.")

LABELS: dict[str, tuple[str, ...]] = {
    "name": ("Name", "Your name", "Full name", "First and last name", "Guest"),
    "email": ("E-mail", "Email address", "Your e-mail", "Contact e-mail", "E-mail address"),
    "city": ("City", "Town", "Town or city", "Place"),
    "street": ("Street", "Street and number", "Address"),
    "phone": ("Phone", "Telephone", "Phone number", "Mobile"),
    "message": ("Message", "Your message", "What would you like to tell us?", "Text"),
    "date": ("Date", "Day", "Date of the visit", "On which day?"),
    "number": ("Persons", "Number of people", "How many?", "Guests"),
    "password": ("Password", "Your password", "Pass phrase"),
    "query": ("Search", "Search these pages", "What are you looking for?", "Find"),
    "code": ("Voucher", "Voucher code", "Code", "Member number"),
}
OPTIONAL = (
    "Remarks (optional)",
    "Company (optional)",
    "Nickname (optional)",
    "Fax (optional)",
    "Title (optional)",
)
